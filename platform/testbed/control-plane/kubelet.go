package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	kubeletUsage = `usage: control-plane kubelet [FLAG...]

Simulates the kubelets of all nodes and the drivers on the nodes, until standard input closes (unless it is /dev/null) or SIGTERM arrives:
  - Each node is Ready, and its Lease is renewed.
  - A bound pod runs once each of its claims is allocated and reserved for the pod, and no device of the claims is prepared for another claim. Until then
    the pod is Pending, with the Event FailedPrepareDynamicResources.
  - A deleted pod ends at once.

Annotations of a pod:
  testbed.claimstream.dev/runs-seconds: "2"    the pod succeeds this long after its start
  testbed.claimstream.dev/stops-seconds: "2"   the pod ends this long after its deletion
Annotation of a node:
  testbed.claimstream.dev/silent: "true"       the node has no simulated kubelet; process kubelets set this on their nodes

`
	runsSeconds  = "testbed.claimstream.dev/runs-seconds"
	stopsSeconds = "testbed.claimstream.dev/stops-seconds"
	silent       = "testbed.claimstream.dev/silent"

	workers     = 16
	tryAgain    = 500 * time.Millisecond
	prepareFail = "FailedPrepareDynamicResources"
)

// The simulated kubelets of all nodes.
type kubelet struct {
	api     kubernetes.Interface
	pods    listers.PodLister
	nodes   listers.NodeLister
	drivers *drivers
	said    *reasons
	queue   workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

func playKubelet(arguments []string) int {
	flags, config := subcommand("kubelet", kubeletUsage)
	lease := flags.Duration("lease", 10*time.Second, "interval between two renewals of a node's Lease; 0: no Lease")
	release := flags.Duration("release-delay", 0, "time between the forced deletion of a pod and the release of its devices")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop := untilTold()
	defer stop()

	bound := informers.NewSharedInformerFactoryWithOptions(api, 0, informers.WithTweakListOptions(func(o *meta.ListOptions) {
		o.FieldSelector = fields.OneTermNotEqualSelector("spec.nodeName", "").String()
	}))
	all := informers.NewSharedInformerFactory(api, 0)
	simulated := &kubelet{
		api: api, pods: bound.Core().V1().Pods().Lister(), nodes: all.Core().V1().Nodes().Lister(),
		drivers: newDrivers(), said: newReasons(), queue: newQueue(),
	}
	beats := &heartbeat{api: api, nodes: simulated.nodes, period: *lease, queue: newQueue()}
	_, podsErr := bound.Core().V1().Pods().Informer().AddEventHandler(simulated.events(*release))
	_, nodesErr := all.Core().V1().Nodes().Informer().AddEventHandler(keyed(beats.queue))
	if podsErr != nil || nodesErr != nil {
		return failed(fmt.Errorf("pods and nodes cannot be watched: %v %v", podsErr, nodesErr), 1)
	}
	all.StartWithContext(ctx)
	all.WaitForCacheSyncWithContext(ctx)
	bound.StartWithContext(ctx)
	bound.WaitForCacheSyncWithContext(ctx)
	for range workers {
		go work(simulated.queue, func(name cache.ObjectName) (time.Duration, error) { return simulated.sync(ctx, name) })
		go work(beats.queue, func(name cache.ObjectName) (time.Duration, error) { return beats.sync(ctx, name.Name) })
	}
	answer(map[string]any{"kubelet": "plays"})
	<-ctx.Done()
	return 0
}

func newQueue() workqueue.TypedRateLimitingInterface[cache.ObjectName] {
	slower := workqueue.NewTypedItemExponentialFailureRateLimiter[cache.ObjectName](50*time.Millisecond, 2*time.Second)
	return workqueue.NewTypedRateLimitingQueue(slower)
}

// work processes the queue. one returns the time after which a key is queued again; zero for never.
func work(queue workqueue.TypedRateLimitingInterface[cache.ObjectName], one func(cache.ObjectName) (time.Duration, error)) {
	for {
		name, isOver := queue.Get()
		if isOver {
			return
		}
		later, err := one(name)
		switch {
		case err != nil:
			queue.AddRateLimited(name)
		case later > 0:
			queue.Forget(name)
			queue.AddAfter(name, later)
		default:
			queue.Forget(name)
		}
		queue.Done(name)
	}
}

func keyed(queue workqueue.TypedRateLimitingInterface[cache.ObjectName]) cache.ResourceEventHandlerFuncs {
	add := func(object any) {
		if name, err := cache.ObjectToName(object); err == nil {
			queue.Add(name)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, object any) { add(object) }}
}

func (k *kubelet) events(release time.Duration) cache.ResourceEventHandlerFuncs {
	handler := keyed(k.queue)
	gone := func(pod *core.Pod) {
		k.said.forget(pod.UID)
		time.AfterFunc(release, func() { k.drivers.unprepare(pod.UID) })
	}
	handler.DeleteFunc = func(object any) {
		if last, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
			object = last.Obj
		}
		if pod, isPod := object.(*core.Pod); isPod {
			gone(pod)
		}
	}
	changed := handler.UpdateFunc
	handler.UpdateFunc = func(before, after any) {
		// After a missed deletion, a list can contain another pod of the same name.
		if old, isPod := before.(*core.Pod); isPod && old.UID != after.(*core.Pod).UID {
			gone(old)
		}
		changed(before, after)
	}
	return handler
}

// sync takes the next step of a pod.
func (k *kubelet) sync(ctx context.Context, name cache.ObjectName) (time.Duration, error) {
	pod, err := k.pods.Pods(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if k.isSilent(pod.Spec.NodeName) {
		return tryAgain, nil
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return k.remove(ctx, pod)
	case pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed:
		k.drivers.unprepare(pod.UID)
		return 0, nil
	case pod.Status.Phase == core.PodRunning:
		return k.finish(ctx, pod)
	default:
		return k.begin(ctx, pod)
	}
}

func (k *kubelet) isSilent(node string) bool {
	found, err := k.nodes.Get(node)
	return err == nil && found.Annotations[silent] == "true"
}

func (k *kubelet) begin(ctx context.Context, pod *core.Pod) (time.Duration, error) {
	if err := k.prepare(ctx, pod); err != nil {
		if k.said.isNew(pod.UID, err.Error()) {
			k.event(ctx, pod, prepareFail, "Failed to prepare dynamic resources: "+err.Error())
		}
		return tryAgain, nil
	}
	now := meta.Now()
	return 0, k.report(ctx, pod, core.PodStatus{Phase: core.PodRunning, StartTime: &now,
		Conditions: conditions(now, core.ConditionTrue), ContainerStatuses: containers(pod, core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: now}})})
}

func (k *kubelet) finish(ctx context.Context, pod *core.Pod) (time.Duration, error) {
	runs, has := seconds(pod.Annotations, runsSeconds)
	if !has || pod.Status.StartTime == nil {
		return 0, nil
	}
	if left := time.Until(began(pod).Add(runs)); left > 0 {
		return left, nil
	}
	k.drivers.unprepare(pod.UID)
	now := meta.Now()
	return 0, k.report(ctx, pod, core.PodStatus{Phase: core.PodSucceeded, Conditions: conditions(now, core.ConditionFalse),
		ContainerStatuses: containers(pod, core.ContainerState{Terminated: &core.ContainerStateTerminated{Reason: "Completed", StartedAt: meta.NewTime(began(pod)), FinishedAt: now}})})
}

// began returns the start time of a pod. The API server stores whole seconds.
func began(pod *core.Pod) time.Time { return pod.Status.StartTime.Time }

func (k *kubelet) remove(ctx context.Context, pod *core.Pod) (time.Duration, error) {
	if stops, has := seconds(pod.Annotations, stopsSeconds); has {
		grace := time.Duration(0)
		if pod.DeletionGracePeriodSeconds != nil {
			grace = time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
		}
		if left := time.Until(pod.DeletionTimestamp.Add(stops - grace)); left > 0 {
			return left, nil
		}
	}
	k.drivers.unprepare(pod.UID)
	if pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed {
		if err := k.stopped(ctx, pod); err != nil {
			return 0, err
		}
	}
	at, grace := meta.Preconditions{UID: &pod.UID}, int64(0)
	err := k.api.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, meta.DeleteOptions{Preconditions: &at, GracePeriodSeconds: &grace})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return 0, nil
	}
	return 0, err
}

// stopped writes the final status of a pod, as a kubelet does before it deletes the pod.
func (k *kubelet) stopped(ctx context.Context, pod *core.Pod) error {
	now := meta.Now()
	return k.report(ctx, pod, core.PodStatus{Phase: core.PodFailed, Conditions: conditions(now, core.ConditionFalse),
		ContainerStatuses: containers(pod, core.ContainerState{Terminated: &core.ContainerStateTerminated{Reason: "Error", ExitCode: 137, FinishedAt: now}})})
}

func seconds(annotations map[string]string, key string) (time.Duration, bool) {
	number, err := strconv.ParseFloat(annotations[key], 64)
	return time.Duration(number * float64(time.Second)), err == nil
}

func conditions(at meta.Time, ready core.ConditionStatus) []core.PodCondition {
	made := []core.PodCondition{}
	for kind, status := range map[core.PodConditionType]core.ConditionStatus{core.PodInitialized: core.ConditionTrue, core.PodReady: ready, core.ContainersReady: ready} {
		made = append(made, core.PodCondition{Type: kind, Status: status, LastTransitionTime: at})
	}
	return made
}

func containers(pod *core.Pod, state core.ContainerState) []core.ContainerStatus {
	made := make([]core.ContainerStatus, 0, len(pod.Spec.Containers))
	for _, each := range pod.Spec.Containers {
		made = append(made, core.ContainerStatus{Name: each.Name, Image: each.Image, State: state, Ready: state.Running != nil})
	}
	return made
}

// report writes the status of a pod, unless another pod has its name now.
func (k *kubelet) report(ctx context.Context, pod *core.Pod, status core.PodStatus) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.api.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, meta.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

func (k *kubelet) event(ctx context.Context, pod *core.Pod, reason, message string) {
	now := meta.Now()
	_, _ = k.api.CoreV1().Events(pod.Namespace).Create(ctx, &core.Event{
		ObjectMeta:     meta.ObjectMeta{GenerateName: pod.Name + ".", Namespace: pod.Namespace},
		InvolvedObject: core.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Reason:         reason, Message: message, Type: core.EventTypeWarning, Source: core.EventSource{Component: "kubelet", Host: pod.Spec.NodeName},
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
	}, meta.CreateOptions{}) // a lost event is acceptable: the next reason makes another one
}
