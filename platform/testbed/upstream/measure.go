package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"sigs.k8s.io/json"
)

// A timingQuestion asks for the allocation time of a pod's claims: a new allocator, then nodes in order until the claims fit.
type timingQuestion struct {
	claimsQuestion
	Rounds int `json:"rounds"`
}

type timingAnswer struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"`
	Fits  bool   `json:"fits"`
	// Nodes that were evaluated per round.
	Nodes int `json:"nodes"`
	// Undecided is the number of rounds with a timeout on a node.
	Undecided int `json:"undecided"`
	// Median times of a round.
	NewAllocatorMicros float64 `json:"newAllocatorMicros"`
	AllocateMicros     float64 `json:"allocateMicros"`
}

func measureLine(line []byte) any {
	var question timingQuestion
	if err := json.UnmarshalCaseSensitivePreserveInts(line, &question); err != nil {
		return timingAnswer{Error: "unreadable question: " + err.Error()}
	}
	answer := timingAnswer{Name: question.Name}
	err := guarded(func() error { return answer.measure(&question) })
	answer.Error = text(err)
	return answer
}

func (a *timingAnswer) measure(question *timingQuestion) error {
	known, err := clusterOf(question.Objects)
	if err != nil {
		return err
	}
	claims, err := known.named(question.Claims)
	if err != nil {
		return err
	}
	var nodes []*corev1.Node
	for _, name := range known.wanted(&question.claimsQuestion) {
		nodes = append(nodes, known.nodes[name])
	}
	features := question.Features.allocator()
	allocated := known.allocated(features)
	slicesOfDevices := known.tainted(question.Features.on("DRADeviceTaintRules"))
	selectors := selectorCache(question.Features.selectors())
	var making, allocating []time.Duration
	for range max(1, question.Rounds) {
		started := time.Now()
		allocator, err := structured.NewAllocator(
			context.Background(), features, allocated, known.classes, slicesOfDevices, selectors)
		if err != nil {
			return fmt.Errorf("make an allocator: %w", err)
		}
		made := time.Now()
		if err := a.round(allocator, nodes, claims, question.TimeoutMillis); err != nil {
			return err
		}
		making = append(making, made.Sub(started))
		allocating = append(allocating, time.Since(made))
	}
	a.NewAllocatorMicros = median(making)
	a.AllocateMicros = median(allocating)
	return nil
}

// round evaluates the nodes in order, each with its own time limit.
func (a *timingAnswer) round(
	allocator structured.Allocator,
	nodes []*corev1.Node,
	claims []*resourceapi.ResourceClaim,
	timeoutMillis int64,
) error {
	a.Nodes = 0
	for _, node := range nodes {
		a.Nodes++
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(timeoutMillis)*time.Millisecond)
		found, err := allocator.Allocate(ctx, node, claims)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			a.Undecided++
			return nil
		}
		if err != nil {
			return fmt.Errorf("on %s: %w", node.Name, err)
		}
		if a.Fits = found != nil; a.Fits {
			return nil
		}
	}
	return nil
}

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2].Nanoseconds()) / 1000
}
