package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

const (
	nextFreeUsage = `usage: control-plane next-free --writer FILE [FLAG...]

Allocates the next free device to each claim of a gated pod, whatever the claim requests, with the same writes as Claimstream. A measurement beside it has
the cost of these writes alone. Supports only claims of one device. Runs until standard input closes (unless it is /dev/null) or SIGTERM arrives.

`
	gate      = "claimstream.dev/allocation"
	sidesOfIt = 32
	waitsABit = 5 * time.Millisecond
)

// An allocator that takes the next free device.
type nextFree struct {
	writer kubernetes.Interface
	pods   corelisters.PodLister
	claims cache.Store
	pins   bool
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]

	lock sync.Mutex
	free []placed
	held map[types.UID]placed
}

// A device and its node.
type placed struct {
	device
	node string
}

func runNextFree(arguments []string) int {
	flags, config := subcommand("next-free", nextFreeUsage)
	writing := flags.String("writer", "", "kubeconfig `FILE` for the writes")
	pins := flags.Bool("pin", false, "pin each pod to the node of its device")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	writer, err := connect(*writing)
	if err != nil {
		return failed(fmt.Errorf("--writer: %w", err), 2)
	}
	ctx, stop := untilTold()
	defer stop()
	factory := informers.NewSharedInformerFactory(api, 0)
	pods, claims, published := factory.Core().V1().Pods(), factory.Resource().V1().ResourceClaims().Informer(), factory.Resource().V1().ResourceSlices().Informer()
	taking := &nextFree{writer: writer, pods: pods.Lister(), claims: claims.GetStore(), pins: *pins, queue: newQueue(), held: map[types.UID]placed{}}
	_, podsErr := pods.Informer().AddEventHandler(keyed(taking.queue))
	_, claimsErr := claims.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: taking.changed, DeleteFunc: taking.gone})
	if podsErr != nil || claimsErr != nil {
		return failed(fmt.Errorf("pods and claims cannot be watched: %v %v", podsErr, claimsErr), 1)
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	taking.learn(published.GetStore().List())
	for range sidesOfIt {
		go work(taking.queue, func(name cache.ObjectName) (time.Duration, error) { return taking.sync(ctx, name) })
	}
	answer(map[string]any{"next-free": "takes", "devices": len(taking.free)})
	<-ctx.Done()
	return 0
}

// learn lists the unallocated devices, alternating between nodes.
func (n *nextFree) learn(published []any) {
	used := map[device]bool{}
	for _, each := range n.claims.List() {
		if claim := each.(*dra.ResourceClaim); claim.Status.Allocation != nil {
			for _, one := range devicesOf(claim) {
				used[one] = true
			}
		}
	}
	type turn struct {
		placed
		number int
	}
	turns := []turn{}
	for _, each := range published {
		slice := each.(*dra.ResourceSlice)
		for i, one := range slice.Spec.Devices {
			if at := (device{driver: slice.Spec.Driver, pool: slice.Spec.Pool.Name, name: one.Name}); slice.Spec.NodeName != nil && !used[at] {
				turns = append(turns, turn{placed{at, *slice.Spec.NodeName}, i})
			}
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.node, b.node)) })
	for _, each := range turns {
		n.free = append(n.free, each.placed)
	}
}

func (n *nextFree) changed(_, object any) {
	if claim := object.(*dra.ResourceClaim); claim.Status.Allocation == nil && claim.DeletionTimestamp != nil {
		n.release(claim.UID)
	}
}

func (n *nextFree) gone(object any) {
	if last, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
		object = last.Obj
	}
	n.release(object.(*dra.ResourceClaim).UID)
}

func (n *nextFree) release(claim types.UID) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if one, has := n.held[claim]; has {
		delete(n.held, claim)
		n.free = append(n.free, one)
	}
}

func (n *nextFree) take(claim types.UID) (placed, bool) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if one, has := n.held[claim]; has {
		return one, true
	}
	if len(n.free) == 0 {
		return placed{}, false
	}
	one := n.free[0]
	n.free, n.held[claim] = n.free[1:], one
	return one, true
}

// sync allocates the claim of a gated pod and removes the gate.
func (n *nextFree) sync(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	pod, err := n.pods.Pods(name.Namespace).Get(name.Name)
	if err != nil || !slices.Contains(pod.Spec.SchedulingGates, core.PodSchedulingGate{Name: gate}) || pod.DeletionTimestamp != nil {
		return 0, nil
	}
	node := ""
	for _, each := range pod.Spec.ResourceClaims {
		claimName, _, err := resourceclaim.Name(pod, &each)
		if err != nil || claimName == nil {
			return 0, nil // the pod is updated when its claim is created
		}
		object, isKnown, _ := n.claims.GetByKey(pod.Namespace + "/" + *claimName)
		if !isKnown {
			return waitsABit, nil
		}
		claim := object.(*dra.ResourceClaim)
		one, isFree := n.take(claim.UID)
		if !isFree {
			return tryAgain, nil
		}
		node = one.node
		if err := n.commit(ctx, claim, pod, one); err != nil {
			return 0, err
		}
	}
	return 0, n.ungate(ctx, pod, node)
}

func (n *nextFree) commit(ctx context.Context, claim *dra.ResourceClaim, pod *core.Pod, one placed) error {
	if claim.Status.Allocation != nil {
		return nil
	}
	now := meta.Now()
	status := dra.ResourceClaimStatus{
		ReservedFor: []dra.ResourceClaimConsumerReference{{Resource: "pods", Name: pod.Name, UID: pod.UID}},
		Allocation: &dra.AllocationResult{AllocationTimestamp: &now, NodeSelector: onNode(one.node),
			Devices: dra.DeviceAllocationResult{Results: []dra.DeviceRequestAllocationResult{{
				Request: claim.Spec.Devices.Requests[0].Name, Driver: one.driver, Pool: one.pool, Device: one.name}}}},
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": claim.UID, "resourceVersion": claim.ResourceVersion}, "status": status})
	if err != nil {
		return err
	}
	_, err = n.writer.ResourceV1().ResourceClaims(claim.Namespace).Patch(ctx, claim.Name, types.StrategicMergePatchType, body, meta.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func onNode(name string) *core.NodeSelector {
	return &core.NodeSelector{NodeSelectorTerms: []core.NodeSelectorTerm{{
		MatchFields: []core.NodeSelectorRequirement{{Key: "metadata.name", Operator: core.NodeSelectorOpIn, Values: []string{name}}}}}}
}

func (n *nextFree) ungate(ctx context.Context, pod *core.Pod, node string) error {
	spec := map[string]any{"schedulingGates": []map[string]string{{"$patch": "delete", "name": gate}}}
	if n.pins {
		spec["affinity"] = core.Affinity{NodeAffinity: &core.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: onNode(node)}}
	}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "spec": spec})
	if err != nil {
		return err
	}
	_, err = n.writer.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, meta.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
