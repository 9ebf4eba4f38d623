package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	release "k8s.io/component-base/version"
)

const (
	nodesUsage = `usage: control-plane nodes [FLAG...]

Creates simulated nodes: node-0000, node-0001 and so on. They are ready and have room for pods. Existing nodes stay unchanged.

`
	sidesMax = 16 // requests at once
)

// The properties of each node.
type shape struct {
	prefix string
	labels map[string]string
	room   core.ResourceList
}

func nodes(arguments []string) int {
	flags, config := subcommand("nodes", nodesUsage)
	count := flags.Int("count", 1, "number of nodes")
	first := flags.Int("first", 0, "number of the first node")
	prefix := flags.String("prefix", "node-", "prefix of the names")
	cpu := flags.String("cpu", "64", "processors of each node")
	memory := flags.String("memory", "256Gi", "memory of each node")
	pods := flags.String("pods", "110", "maximum number of pods of each node")
	labels := flags.String("labels", "", "additional labels of each node, `KEY=VALUE,...`")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	wanted, err := newShape(*prefix, *labels, map[core.ResourceName]string{core.ResourceCPU: *cpu, core.ResourceMemory: *memory, core.ResourcePods: *pods})
	if err != nil {
		return failed(err, 2)
	}
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	begin := time.Now()
	if err := makeNodes(context.Background(), api, wanted, *first, *count); err != nil {
		return failed(err, 1)
	}
	answer(map[string]any{"nodes": *count, "millis": time.Since(begin).Milliseconds()})
	return 0
}

func newShape(prefix, labels string, room map[core.ResourceName]string) (shape, error) {
	made := shape{prefix: prefix, labels: map[string]string{}, room: core.ResourceList{}}
	for name, text := range room {
		quantity, err := resource.ParseQuantity(text)
		if err != nil {
			return made, fmt.Errorf("--%s %s: must be a quantity, such as 64 or 256Gi", name, text)
		}
		made.room[name] = quantity
	}
	for _, each := range strings.FieldsFunc(labels, func(r rune) bool { return r == ',' }) {
		key, value, isPair := strings.Cut(each, "=")
		if !isPair {
			return made, fmt.Errorf("--labels %s: must be KEY=VALUE", each)
		}
		made.labels[key] = value
	}
	return made, nil
}

func makeNodes(ctx context.Context, api kubernetes.Interface, wanted shape, first, count int) error {
	return inParallel(count, func(i int) error {
		_, err := api.CoreV1().Nodes().Create(ctx, wanted.node(first+i), meta.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
}

func (s shape) node(number int) *core.Node {
	name := fmt.Sprintf("%s%04d", s.prefix, number)
	labels := map[string]string{core.LabelHostname: name, core.LabelOSStable: "linux", core.LabelArchStable: "amd64"}
	for key, value := range s.labels {
		labels[key] = value
	}
	return &core.Node{
		ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels},
		Status: core.NodeStatus{
			Capacity: s.room, Allocatable: s.room,
			Conditions: []core.NodeCondition{readyNow(meta.Now())},
			NodeInfo:   core.NodeSystemInfo{KubeletVersion: release.Get().GitVersion, OperatingSystem: "linux", Architecture: "amd64"},
		},
	}
}

func readyNow(at meta.Time) core.NodeCondition {
	return core.NodeCondition{Type: core.NodeReady, Status: core.ConditionTrue, Reason: "KubeletReady", Message: "the kubelet is simulated",
		LastHeartbeatTime: at, LastTransitionTime: at}
}

// inParallel runs a function for each number below count, and returns the first error.
func inParallel(count int, one func(int) error) error {
	var group sync.WaitGroup
	var lock sync.Mutex
	var first error
	numbers := make(chan int)
	for range min(sidesMax, count) {
		group.Go(func() {
			for i := range numbers {
				if err := one(i); err != nil {
					lock.Lock()
					first = errors.Join(first, err)
					lock.Unlock()
				}
			}
		})
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	group.Wait()
	return first
}
