package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const checkUsage = `usage: control-plane check [FLAG...]

Watches all claims, pods and slices, and prints a line of JSON for each thing that must not be:
  two-holders       a device, or one share of it, is allocated to two claims
  counter-overrun   the partitions of a device that are allocated need more than it has
  allocated-twice   an allocation has changed into another one
  not-released      a claim is allocated, and for longer than --patience none of its consumers lives
  not-answered      a pod with claims has been without a node for longer than --patience
The first two count once they have lasted for half a second: after a gap in its watch it sees changes in any order.
When standard input closes (unless that is /dev/null) or SIGTERM comes, it prints how many of each there were. Exit code 3: there was one.

What fits nowhere is not-answered too; --patience 0 leaves the last two out.

`

// After so long the order in which things were told does not matter.
const settled = 500 * time.Millisecond

// The claims, pods and counters as a watch of its own has seen them.
type checker struct {
	lock     sync.Mutex
	claims   map[types.UID]*held
	holders  map[device]map[types.UID]bool
	pods     map[types.UID]*core.Pod
	budgets  map[counterName]int64            // thousandths
	needs    map[device]map[counterName]int64 // thousandths
	suspects map[device]time.Time             // since when a device may be in one of the first two states
	said     map[string]time.Time
	faults   map[string]int
	seen     int
	patience time.Duration
}

// A claim that is or was allocated.
type held struct {
	name      string
	devices   []device
	consumers []types.UID
	lonely    time.Time // since when no consumer lives; zero: one does
	answered  string
}

type counterName struct{ driver, pool, set, counter string }

func runCheck(arguments []string) int {
	flags, config := subcommand("check", checkUsage)
	patience := flags.Duration("patience", time.Minute, "how long a claim may stay as it should not")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop := untilTold()
	defer stop()
	looking := newChecker(*patience)
	factory := informers.NewSharedInformerFactory(api, 0)
	for _, each := range []struct {
		informer cache.SharedIndexInformer
		events   cache.ResourceEventHandlerFuncs
	}{
		{factory.Resource().V1().ResourceSlices().Informer(), told(looking, looking.slice)},
		{factory.Core().V1().Pods().Informer(), told(looking, looking.pod)},
		{factory.Resource().V1().ResourceClaims().Informer(), told(looking, looking.claim)},
	} {
		if _, err := each.informer.AddEventHandler(each.events); err != nil {
			return failed(err, 1)
		}
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	answer(map[string]any{"check": "looks"})
	return looking.untilDone(ctx)
}

func newChecker(patience time.Duration) *checker {
	return &checker{claims: map[types.UID]*held{}, holders: map[device]map[types.UID]bool{}, pods: map[types.UID]*core.Pod{},
		budgets: map[counterName]int64{}, needs: map[device]map[counterName]int64{}, suspects: map[device]time.Time{},
		said: map[string]time.Time{}, faults: map[string]int{}, patience: patience}
}

// told passes on what an informer tells: an object, and whether it is gone.
func told[T any](c *checker, one func(T, bool)) cache.ResourceEventHandlerFuncs {
	note := func(object any, isGone bool) {
		if last, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
			object = last.Obj
		}
		if known, isOne := object.(T); isOne {
			c.lock.Lock()
			defer c.lock.Unlock()
			c.seen++
			one(known, isGone)
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { note(object, false) },
		UpdateFunc: func(_, object any) { note(object, false) },
		DeleteFunc: func(object any) { note(object, true) },
	}
}

func (c *checker) untilDone(ctx context.Context) int {
	ticks := time.NewTicker(settled / 2)
	defer ticks.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case now := <-ticks.C:
			c.look(now)
		}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	answer(map[string]any{"events": c.seen, "claims": len(c.claims), "pods": len(c.pods), "faults": c.faults})
	if len(c.faults) > 0 {
		return 3
	}
	return 0
}

func (c *checker) fault(kind, about string) {
	if _, isSaid := c.said[kind+about]; isSaid {
		return
	}
	c.said[kind+about] = time.Now()
	c.faults[kind]++
	answer(map[string]any{"fault": kind, "about": about, "at": time.Now().UTC().Format(time.RFC3339Nano)})
}

func (c *checker) pod(pod *core.Pod, isGone bool) {
	if isGone {
		delete(c.pods, pod.UID)
		return
	}
	c.pods[pod.UID] = pod
}

func (c *checker) claim(claim *dra.ResourceClaim, isGone bool) {
	known := c.claims[claim.UID]
	if known == nil {
		known = &held{name: claim.Namespace + "/" + claim.Name}
		c.claims[claim.UID] = known
	}
	for _, each := range known.devices {
		delete(c.holders[each], claim.UID)
	}
	known.devices, known.consumers = nil, nil
	if isGone {
		delete(c.claims, claim.UID)
		return
	}
	if claim.Status.Allocation == nil {
		known.answered = ""
		return
	}
	answered := fmt.Sprint(claim.Status.Allocation.Devices.Results)
	if known.answered != "" && known.answered != answered {
		c.fault("allocated-twice", fmt.Sprintf("%s: %s, then %s", known.name, known.answered, answered))
	}
	known.answered, known.devices = answered, devicesOf(claim)
	for _, each := range claim.Status.ReservedFor {
		known.consumers = append(known.consumers, each.UID)
	}
	for _, each := range known.devices {
		c.hold(each, claim.UID)
	}
}

func (c *checker) hold(one device, claim types.UID) {
	if c.holders[one] == nil {
		c.holders[one] = map[types.UID]bool{}
	}
	c.holders[one][claim] = true
	if _, isSuspect := c.suspects[one]; !isSuspect && c.isOverused(one, func(string, string) {}) {
		c.suspects[one] = time.Now()
	}
}

// isOverused tells each fault of a device.
func (c *checker) isOverused(one device, tell func(kind, about string)) bool {
	isFaulty := false
	if len(c.holders[one]) > 1 {
		isFaulty = true
		names := make([]string, 0, 2)
		for each := range c.holders[one] {
			names = append(names, c.claims[each].name)
		}
		slices.Sort(names)
		tell("two-holders", fmt.Sprintf("%s/%s/%s: %s", one.driver, one.pool, one.name, strings.Join(names, " ")))
	}
	if len(c.holders[one]) == 0 {
		return isFaulty
	}
	for counter := range c.needs[one] {
		if used := c.used(counter); used > c.budgets[counter] {
			isFaulty = true
			tell("counter-overrun", fmt.Sprintf("%s/%s %s %s: %d of %d thousandths", counter.driver, counter.pool, counter.set, counter.counter, used, c.budgets[counter]))
		}
	}
	return isFaulty
}

// used sums up what the allocated devices of a pool need of a counter.
func (c *checker) used(counter counterName) int64 {
	sum := int64(0)
	for one, claims := range c.holders {
		if len(claims) > 0 && one.driver == counter.driver && one.pool == counter.pool {
			sum += c.needs[one][counter]
		}
	}
	return sum
}

// slice learns the counters. What a slice does not say any more counts on: devices in use need it.
func (c *checker) slice(slice *dra.ResourceSlice, isGone bool) {
	if isGone {
		return
	}
	driver, pool := slice.Spec.Driver, slice.Spec.Pool.Name
	for _, set := range slice.Spec.SharedCounters {
		for name, counter := range set.Counters {
			c.budgets[counterName{driver, pool, set.Name, name}] = counter.Value.MilliValue()
		}
	}
	for _, each := range slice.Spec.Devices {
		if len(each.ConsumesCounters) == 0 {
			continue
		}
		needs := map[counterName]int64{}
		for _, set := range each.ConsumesCounters {
			for name, counter := range set.Counters {
				needs[counterName{driver, pool, set.CounterSet, name}] = counter.Value.MilliValue()
			}
		}
		c.needs[device{driver: driver, pool: pool, name: each.Name}] = needs
	}
}

// look tells what has stayed as it should not be.
func (c *checker) look(now time.Time) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for one, since := range c.suspects {
		if now.Sub(since) >= settled {
			delete(c.suspects, one)
			c.isOverused(one, c.fault)
		}
	}
	if c.patience > 0 {
		c.waits(now)
	}
}

func (c *checker) waits(now time.Time) {
	for _, each := range c.claims {
		switch {
		case len(each.devices) == 0 || c.isUsed(each):
			each.lonely = time.Time{}
		case each.lonely.IsZero():
			each.lonely = now
		case now.Sub(each.lonely) > c.patience:
			c.fault("not-released", each.name)
		}
	}
	for _, pod := range c.pods {
		if pod.Spec.NodeName == "" && len(pod.Spec.ResourceClaims) > 0 && pod.DeletionTimestamp == nil &&
			now.Sub(pod.CreationTimestamp.Time) > c.patience {
			c.fault("not-answered", pod.Namespace+"/"+pod.Name)
		}
	}
}

func (c *checker) isUsed(claim *held) bool {
	for _, each := range claim.consumers {
		if pod := c.pods[each]; pod != nil && pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed {
			return true
		}
	}
	return false
}
