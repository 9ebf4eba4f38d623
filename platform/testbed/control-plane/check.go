package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

const checkUsage = `usage: control-plane check [FLAG...]

Watches all claims, pods and slices, and prints a line of JSON for each violation:
  two-holders       a device, or one share of it, is allocated to two claims
  counter-overrun   the allocated partitions of a device need more than the device has
  allocated-twice   a claim (by uid) was allocated other devices while a pod in its reservedFor was bound and had not ended
  taken-away        an allocation was removed or changed, and --behind later a pod that used it runs, or is pending on its node
  not-released      a claim is allocated, and none of its consumers has existed for longer than --patience
  not-answered      a pod with claims has had no node for longer than --patience
The first two count after half a second, because changes arrive in any order after a gap in a watch. The resourceVersions of a claim and a pod define their
order, because etcd counts both. A change that a gap can have hidden is no violation. "lists" counts the gaps and the start.
Other devices for a claim before its pod has a node are no violation: kube-scheduler clears the claim if the pod does not fit.
When standard input closes (unless it is /dev/null) or SIGTERM arrives, it prints the number of each violation. Exit code 3: there was a violation.

A claim without an owning pod may be allocated without consumers until it is deleted. An unsatisfiable pod counts as not-answered. --may-wait turns off
not-answered; --patience 0 turns off not-released and not-answered.

`

// Time after which the order of events does not matter.
const settled = 500 * time.Millisecond

// The claims, pods and counters, as the checker's own watches report them.
type checker struct {
	lock       sync.Mutex
	claims     map[types.UID]*held
	holders    map[device]map[types.UID]bool
	pods       map[types.UID]*core.Pod
	lives      lives
	budgets    map[counterName]int64            // thousandths
	needs      map[device]map[counterName]int64 // thousandths
	suspects   map[device]time.Time             // devices with a possible two-holders or counter-overrun, with the time of the first sign
	robbed     map[robbery]time.Time            // pods whose allocation changed, with the time of the change
	successors []successor
	said       map[string]time.Time
	faults     map[string]int
	seen       int
	lists      int
	holdings   holdings // of the whole run, with --holdings
	options    checkOptions
}

type checkOptions struct {
	patience time.Duration
	behind   time.Duration
	mayWait  bool
	holdings string
}

// A claim that is or was allocated.
type held struct {
	name      string
	devices   []device
	consumers []types.UID
	isOwned   bool      // a pod owns the claim, or the claim is being deleted: its devices must be released
	lonely    time.Time // time since which no consumer exists; zero if one exists
	answered  string
	before    given
	version   version // resourceVersion of the last event
}

// An allocation, and its last consumers.
type given struct {
	answered  string
	consumers []types.UID
}

// An allocation that was cleared or changed, and a pod that may still use it.
type robbery struct {
	pod types.UID
	had string
}

type counterName struct{ driver, pool, set, counter string }

func runCheck(arguments []string) int {
	flags, config := subcommand("check", checkUsage)
	var wanted checkOptions
	flags.DurationVar(&wanted.patience, "patience", time.Minute, "maximum time of not-released and not-answered; 0: do not check them")
	flags.DurationVar(&wanted.behind, "behind", 20*time.Second, "maximum delay of events of pods behind events of claims")
	flags.BoolVar(&wanted.mayWait, "may-wait", false, "do not report pods without a node")
	flags.StringVar(&wanted.holdings, "holdings", "", "`FILE`, written at the end: each device that a claim had at any time, with the names of the claim's pods")
	if err := flags.Parse(arguments); err != nil {
		return parseStatus(err)
	}
	api, err := connect(*config)
	if err != nil {
		return failed(err, 2)
	}
	ctx, stop := untilTold()
	defer stop()
	looking := newChecker(wanted)
	factory := informers.NewSharedInformerFactory(api, 0)
	if _, err := factory.Resource().V1().ResourceSlices().Informer().AddEventHandler(told(looking, looking.slice)); err != nil {
		return failed(err, 1)
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	var begun sync.WaitGroup
	begun.Add(2)
	go looking.follow(ctx, looking.podsOf(api), sync.OnceFunc(begun.Done))
	go looking.follow(ctx, looking.claimsOf(api), sync.OnceFunc(begun.Done))
	go func() {
		begun.Wait()
		answer(map[string]any{"check": "looks"})
	}()
	return looking.untilDone(ctx)
}

func newChecker(wanted checkOptions) *checker {
	return &checker{claims: map[types.UID]*held{}, holders: map[device]map[types.UID]bool{}, pods: map[types.UID]*core.Pod{},
		budgets: map[counterName]int64{}, needs: map[device]map[counterName]int64{}, suspects: map[device]time.Time{},
		robbed: map[robbery]time.Time{}, lives: lives{pods: map[types.UID]*life{}}, said: map[string]time.Time{}, faults: map[string]int{}, holdings: holdings{}, options: wanted}
}

// told returns a handler that passes the object of an event, and whether it is deleted.
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
	c.look(time.Now())
	c.lock.Lock()
	defer c.lock.Unlock()
	answer(map[string]any{"events": c.seen, "claims": len(c.claims), "pods": len(c.pods), "lists": c.lists, "faults": c.faults})
	if c.options.holdings != "" {
		if err := c.holdings.write(c.options.holdings); err != nil {
			return failed(err, 1)
		}
	}
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

// pod applies an event of a pod. isNext says that no event was missed since the last one.
func (c *checker) pod(pod *core.Pod, isGone, isNext bool) {
	c.lives.note(pod, isGone, isNext)
	if isGone {
		delete(c.pods, pod.UID)
		return
	}
	c.pods[pod.UID] = pod
}

// claim applies an event of a claim. isNext says that no event was missed since the last one.
func (c *checker) claim(claim *dra.ResourceClaim, isGone, isNext bool) {
	known := c.claims[claim.UID]
	if known == nil {
		known = &held{name: claim.Namespace + "/" + claim.Name}
		c.claims[claim.UID] = known
	}
	answered := ""
	if claim.Status.Allocation != nil && !isGone {
		results, _ := json.Marshal(claim.Status.Allocation.Devices.Results) // never fails; printing would show addresses of pointers
		answered = string(results)
	}
	c.compare(known, answered, versionOf(claim.ResourceVersion), isNext)
	for _, each := range known.devices {
		delete(c.holders[each], claim.UID)
	}
	known.answered, known.devices, known.consumers = answered, nil, nil
	if isGone {
		delete(c.claims, claim.UID)
		return
	}
	owner := meta.GetControllerOf(claim)
	known.isOwned = claim.DeletionTimestamp != nil || owner != nil && owner.Kind == "Pod"
	if answered == "" {
		return
	}
	known.devices = devicesOf(claim)
	if c.options.holdings != "" {
		c.holdings.note(claim)
	}
	for _, each := range claim.Status.ReservedFor {
		known.consumers = append(known.consumers, each.UID)
	}
	for _, each := range known.devices {
		c.hold(each, claim.UID)
	}
}

// compare records a change of the allocation of a claim. isNext says that no event was missed since the last one.
func (c *checker) compare(known *held, answered string, now version, isNext bool) {
	since := known.version
	if isNext {
		since = now
	}
	known.version = now
	if known.answered == answered {
		return
	}
	if known.answered != "" {
		known.before = given{known.answered, known.consumers}
		for _, each := range known.consumers {
			if c.hasNode(each) {
				c.robbed[robbery{each, fmt.Sprintf("%s: %s", known.name, known.answered)}] = time.Now()
			}
		}
	}
	if answered != "" && known.before.answered != answered {
		c.succeed(known, answered, since, now)
	}
}

// hasNode reports whether a pod has a node, has not finished and is not being deleted.
func (c *checker) hasNode(uid types.UID) bool {
	pod := c.pods[uid]
	return pod != nil && pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil && !isOver(pod)
}

func isOver(pod *core.Pod) bool {
	return pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed
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

// isOverused reports each fault of a device, and whether there is one.
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

// used returns how much of a counter the allocated devices of a pool consume.
func (c *checker) used(counter counterName) int64 {
	sum := int64(0)
	for one, claims := range c.holders {
		if len(claims) > 0 && one.driver == counter.driver && one.pool == counter.pool {
			sum += c.needs[one][counter]
		}
	}
	return sum
}

// slice stores the counters of a slice. Counters that a later slice lacks are kept, because devices in use need them.
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

// look reports the violations that have lasted too long.
func (c *checker) look(now time.Time) {
	c.lock.Lock()
	defer c.lock.Unlock()
	for one, since := range c.suspects {
		if now.Sub(since) >= settled {
			delete(c.suspects, one)
			c.isOverused(one, c.fault)
		}
	}
	for one, since := range c.robbed {
		if now.Sub(since) >= c.options.behind {
			delete(c.robbed, one)
			if c.hasNode(one.pod) {
				pod := c.pods[one.pod]
				c.fault("taken-away", fmt.Sprintf("%s from pod %s on %s", one.had, pod.Name, pod.Spec.NodeName))
			}
		}
	}
	c.tellSuccessors(now)
	if c.options.patience > 0 {
		c.waits(now)
	}
}

func (c *checker) waits(now time.Time) {
	for _, each := range c.claims {
		switch {
		case len(each.devices) == 0 || c.isUsed(each) || len(each.consumers) == 0 && !each.isOwned:
			each.lonely = time.Time{}
		case each.lonely.IsZero():
			each.lonely = now
		case now.Sub(each.lonely) > c.options.patience:
			c.fault("not-released", each.name)
		}
	}
	if c.options.mayWait {
		return
	}
	for _, pod := range c.pods {
		if pod.Spec.NodeName == "" && len(pod.Spec.ResourceClaims) > 0 && pod.DeletionTimestamp == nil &&
			now.Sub(pod.CreationTimestamp.Time) > c.options.patience {
			c.fault("not-answered", pod.Namespace+"/"+pod.Name)
		}
	}
}

func (c *checker) isUsed(claim *held) bool {
	for _, each := range claim.consumers {
		if pod := c.pods[each]; pod != nil && !isOver(pod) {
			return true
		}
	}
	return false
}
