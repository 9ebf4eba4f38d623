package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	leaseSeconds = 40 // as the kubelet's default
	aboutNow     = 4  // the first renewals are spread over a period divided by this
)

// The heartbeats of the simulated nodes.
type heartbeat struct {
	api    kubernetes.Interface
	nodes  listers.NodeLister
	period time.Duration // zero: no Lease
	queue  workqueue.TypedRateLimitingInterface[cache.ObjectName]
	beaten sync.Map // name of the node to the time of its last renewal
}

// sync sets a node Ready, and renews its Lease when it is due.
func (h *heartbeat) sync(ctx context.Context, name string) (time.Duration, error) {
	node, err := h.nodes.Get(name)
	if apierrors.IsNotFound(err) {
		h.beaten.Delete(name)
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if node.Annotations[silent] == "true" {
		return 0, nil
	}
	if !isReady(node) {
		if err := h.makeReady(ctx, node); err != nil {
			return 0, err
		}
	}
	if h.period == 0 {
		return 0, nil
	}
	if last, has := h.beaten.Load(name); has {
		if left := time.Until(last.(time.Time).Add(h.period)); left > 0 {
			return left, nil
		}
	}
	if err := h.renew(ctx, node); err != nil {
		return 0, err
	}
	return h.next(name), nil
}

// next stores the time of a renewal. The first one is stored as older, by a different time per node, so that renewals are spread.
func (h *heartbeat) next(name string) time.Duration {
	now := time.Now()
	if _, has := h.beaten.Load(name); !has {
		now = now.Add(-rand.N(h.period / aboutNow))
	}
	h.beaten.Store(name, now)
	return time.Until(now.Add(h.period))
}

func isReady(node *core.Node) bool {
	for _, each := range node.Status.Conditions {
		if each.Type == core.NodeReady {
			return each.Status == core.ConditionTrue
		}
	}
	return false
}

func (h *heartbeat) makeReady(ctx context.Context, node *core.Node) error {
	body, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []core.NodeCondition{readyNow(meta.Now())}}})
	if err != nil {
		return err
	}
	_, err = h.api.CoreV1().Nodes().Patch(ctx, node.Name, types.StrategicMergePatchType, body, meta.PatchOptions{}, "status")
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (h *heartbeat) renew(ctx context.Context, node *core.Node) error {
	leases := h.api.CoordinationV1().Leases(core.NamespaceNodeLease)
	now := meta.NowMicro()
	body, err := json.Marshal(map[string]any{"spec": map[string]any{"renewTime": now}})
	if err != nil {
		return err
	}
	if _, err = leases.Patch(ctx, node.Name, types.MergePatchType, body, meta.PatchOptions{}); !apierrors.IsNotFound(err) {
		return err
	}
	holder, duration := node.Name, int32(leaseSeconds)
	_, err = leases.Create(ctx, &coordination.Lease{
		ObjectMeta: meta.ObjectMeta{Name: node.Name, OwnerReferences: []meta.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}},
		Spec:       coordination.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &duration, RenewTime: &now},
	}, meta.CreateOptions{})
	return err
}
