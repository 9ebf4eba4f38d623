package main

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"sigs.k8s.io/json"
)

// selectorsMax is the size of the cache of compiled expressions, per set of features.
const selectorsMax = 4096

type rawObject = stdjson.RawMessage

// A claimsQuestion asks which devices the claims of one pod get, on each of some nodes.
type claimsQuestion struct {
	Name string `json:"name"`
	// Node is one node, Nodes are several. Without both, all nodes are evaluated by name.
	Node     *string     `json:"node"`
	Nodes    []string    `json:"nodes"`
	Features gates       `json:"features"`
	Objects  []rawObject `json:"objects"`
	// Claims to allocate, NAMESPACE/NAME, in the order of the pod.
	Claims        []string `json:"claims"`
	TimeoutMillis int64    `json:"timeoutMillis"`
}

type claimsAnswer struct {
	Name string `json:"name"`
	// Error concerns the whole question; there are no answers of nodes then.
	Error string       `json:"error,omitempty"`
	Nodes []nodeAnswer `json:"nodes"`
}

// A nodeAnswer has allocations if the claims fit. Otherwise there may be an error, and Undecided reports a timeout.
type nodeAnswer struct {
	Node        string                         `json:"node"`
	Fits        bool                           `json:"fits"`
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"`
	Error       string                         `json:"error,omitempty"`
	// OnNode says that the error concerns this node only. Any other error ends the scheduling of the pod.
	OnNode    bool  `json:"onNode,omitempty"`
	Undecided bool  `json:"undecided,omitempty"`
	Micros    int64 `json:"micros"`
}

var selectorCaches = map[cel.Features]*cel.Cache{}

func selectorCache(features cel.Features) *cel.Cache {
	made, isKnown := selectorCaches[features]
	if !isKnown {
		made = cel.NewCache(selectorsMax, features)
		selectorCaches[features] = made
	}
	return made
}

func init() {
	// The other variants lack features, and their results depend on the order of Go maps.
	structured.EnableAllocators("experimental")
}

func allocateLine(line []byte) any {
	var question claimsQuestion
	if err := json.UnmarshalCaseSensitivePreserveInts(line, &question); err != nil {
		return claimsAnswer{Error: "unreadable question: " + err.Error()}
	}
	answer := claimsAnswer{Name: question.Name}
	err := guarded(func() (err error) {
		answer.Nodes, err = answers(&question)
		return err
	})
	answer.Error = text(err)
	return answer
}

func answers(question *claimsQuestion) ([]nodeAnswer, error) {
	known, err := clusterOf(question.Objects)
	if err != nil {
		return nil, err
	}
	claims, err := known.named(question.Claims)
	if err != nil {
		return nil, err
	}
	features := question.Features.allocator()
	allocator, err := structured.NewAllocator(
		context.Background(),
		features,
		known.allocated(features),
		known.classes,
		known.tainted(question.Features.on("DRADeviceTaintRules")),
		selectorCache(question.Features.selectors()))
	if err != nil {
		return nil, err
	}
	var all []nodeAnswer
	for _, name := range known.wanted(question) {
		node, isKnown := known.nodes[name]
		if !isKnown {
			return nil, fmt.Errorf("there is no node %q", name)
		}
		all = append(all, onNode(allocator, node, claims, question.TimeoutMillis))
	}
	return all, nil
}

func (c *cluster) named(names []string) ([]*resourceapi.ResourceClaim, error) {
	claims := make([]*resourceapi.ResourceClaim, 0, len(names))
	for _, name := range names {
		if !strings.Contains(name, "/") {
			name = "default/" + name
		}
		claim, isKnown := c.claims[name]
		if !isKnown {
			return nil, fmt.Errorf("there is no claim %q", name)
		}
		if claim.Status.Allocation != nil {
			return nil, fmt.Errorf("claim %q is allocated already", name)
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

func (c *cluster) wanted(question *claimsQuestion) []string {
	switch {
	case question.Node != nil:
		return []string{*question.Node}
	case len(question.Nodes) > 0:
		return question.Nodes
	default:
		names := make([]string, 0, len(c.nodes))
		for name := range c.nodes {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
}

func onNode(
	allocator structured.Allocator,
	node *corev1.Node,
	claims []*resourceapi.ResourceClaim,
	timeoutMillis int64,
) nodeAnswer {
	ctx := context.Background()
	if timeoutMillis > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(timeoutMillis)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	answer := nodeAnswer{Node: node.Name}
	started := time.Now()
	err := guarded(func() (err error) {
		answer.Allocations, err = allocator.Allocate(ctx, node, claims)
		return err
	})
	answer.Micros = time.Since(started).Microseconds()
	answer.Undecided = errors.Is(err, context.DeadlineExceeded)
	answer.OnNode = errors.Is(err, structured.ErrFailedAllocationOnNode)
	answer.Error = text(err)
	// No claims fit with an empty list. A nil list says that the claims do not fit.
	answer.Fits = err == nil && answer.Allocations != nil
	return answer
}
