package main

import (
	"context"
	"fmt"
	"sync"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// The prepared devices of the drivers of all nodes. A driver rejects a device that is prepared for another claim. It does not check shared counters.
type drivers struct {
	lock    sync.Mutex
	holders map[device]*holder
}

// A device, or one share of it.
type device struct{ driver, pool, name, share string }

// The claim that a device is prepared for, and the pods that use it.
type holder struct {
	claim string
	uid   types.UID
	pods  map[types.UID]bool
}

func newDrivers() *drivers { return &drivers{holders: map[device]*holder{}} }

// prepare takes all devices of a claim for a pod, or none.
func (d *drivers) prepare(pod types.UID, claim *dra.ResourceClaim) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	wanted := devicesOf(claim)
	for _, each := range wanted {
		if held := d.holders[each]; held != nil && held.uid != claim.UID {
			return fmt.Errorf("device %s/%s/%s of ResourceClaim %s is prepared for ResourceClaim %s already", each.driver, each.pool, each.name, claim.Name, held.claim)
		}
	}
	for _, each := range wanted {
		if d.holders[each] == nil {
			d.holders[each] = &holder{claim: claim.Namespace + "/" + claim.Name, uid: claim.UID, pods: map[types.UID]bool{}}
		}
		d.holders[each].pods[pod] = true
	}
	return nil
}

// devicesOf returns the allocated devices without those with admin access.
func devicesOf(claim *dra.ResourceClaim) []device {
	made := []device{}
	for _, each := range claim.Status.Allocation.Devices.Results {
		if each.AdminAccess != nil && *each.AdminAccess {
			continue
		}
		one := device{driver: each.Driver, pool: each.Pool, name: each.Device}
		if each.ShareID != nil {
			one.share = string(*each.ShareID)
		}
		made = append(made, one)
	}
	return made
}

// unprepare releases the devices that no other pod uses.
func (d *drivers) unprepare(pod types.UID) {
	d.lock.Lock()
	defer d.lock.Unlock()
	for each, held := range d.holders {
		delete(held.pods, pod)
		if len(held.pods) == 0 {
			delete(d.holders, each)
		}
	}
}

// prepare checks the claims of a pod as the kubelet does, with requests to the API server instead of a cache, and prepares their devices.
func (k *kubelet) prepare(ctx context.Context, pod *core.Pod) error {
	for _, each := range claimsOf(pod) {
		name, isOwned, err := resourceclaim.Name(pod, &each)
		if err != nil {
			return err
		}
		if name == nil {
			continue
		}
		claim, err := k.api.ResourceV1().ResourceClaims(pod.Namespace).Get(ctx, *name, meta.GetOptions{})
		if err != nil {
			return fmt.Errorf("fetch ResourceClaim %s: %w", *name, err)
		}
		if isOwned {
			if err := resourceclaim.IsForPod(pod, claim, true); err != nil {
				return err
			}
		}
		if !resourceclaim.IsReservedForPod(pod, claim, true) {
			return fmt.Errorf("pod %s (%s) is not allowed to use ResourceClaim %s (%s)", pod.Name, pod.UID, *name, claim.UID)
		}
		if claim.Status.Allocation == nil {
			return fmt.Errorf("ResourceClaim %s: not allocated", *name)
		}
		if err := k.drivers.prepare(pod.UID, claim); err != nil {
			return err
		}
	}
	return nil
}

// claimsOf returns the claims of a pod, and the claim that kube-scheduler created for its extended resources.
func claimsOf(pod *core.Pod) []core.PodResourceClaim {
	claims := pod.Spec.ResourceClaims
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		claims = append(claims[:len(claims):len(claims)], core.PodResourceClaim{ResourceClaimName: &extended.ResourceClaimName})
	}
	return claims
}

// The last event reason of each pod.
type reasons struct {
	lock sync.Mutex
	last map[types.UID]string
}

func newReasons() *reasons { return &reasons{last: map[types.UID]string{}} }

func (r *reasons) isNew(pod types.UID, reason string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	isNew := r.last[pod] != reason
	r.last[pod] = reason
	return isNew
}

func (r *reasons) forget(pod types.UID) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.last, pod)
}
