package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The resourceVersion of a change. One etcd numbers the changes of all objects, so versions order the events of different watches.
type version uint64

func versionOf(text string) version {
	number, _ := strconv.ParseUint(text, 10, 64) // empty for an object that a list lacks
	return version(number)
}

// The time of a pod on its node, in versions.
type life struct {
	name, node      string
	bound           version // the pod had its node at this version
	alive           version // the pod had not ended before this version
	isBound, isOver bool
}

// The lives of pods, deleted ones included, and the version up to which they are complete.
type lives struct {
	pods  map[types.UID]*life
	known version
}

// note applies an event of a pod. isNext says that no event was missed, so that the pod was alive until now.
func (l *lives) note(pod *core.Pod, isGone, isNext bool) {
	now := versionOf(pod.ResourceVersion)
	l.reached(now)
	one := l.pods[pod.UID]
	if one == nil {
		one = &life{name: pod.Name}
		l.pods[pod.UID] = one
	}
	if !one.isBound && pod.Spec.NodeName != "" {
		one.isBound, one.bound, one.node = true, now, pod.Spec.NodeName
	}
	if one.isOver {
		return
	}
	one.isOver = isGone || isOver(pod)
	if !one.isOver || isNext {
		one.alive = now
	}
}

// missing ends the life of a pod that a list lacks. It was alive at least until its last event.
func (l *lives) missing(uid types.UID) {
	if one := l.pods[uid]; one != nil {
		one.isOver = true
	}
}

func (l *lives) reached(now version) { l.known = max(l.known, now) }

// An allocation that replaced another one, and a pod that used the former one.
type successor struct {
	pod         types.UID
	what        string
	after, upTo version // versions between which it was written
	toldAt      time.Time
}

// succeed records an allocation that follows a cleared one.
func (c *checker) succeed(claim *held, answered string, after, upTo version) {
	what := fmt.Sprintf("%s: %s, then %s", claim.name, claim.before.answered, answered)
	for _, each := range claim.before.consumers {
		c.successors = append(c.successors, successor{pod: each, what: what, after: after, upTo: upTo, toldAt: time.Now()})
	}
}

// tellSuccessors reports each allocation that was written while a pod with the former one was on its node. It waits until the pods are complete up to that
// version: a later event has come, or none came for a while.
func (c *checker) tellSuccessors(now time.Time) {
	c.successors = slices.DeleteFunc(c.successors, func(one successor) bool {
		if c.lives.known < one.upTo && now.Sub(one.toldAt) < c.options.behind {
			return false
		}
		pod := c.lives.pods[one.pod]
		if pod != nil && pod.isBound && pod.bound < one.after && (!pod.isOver || pod.alive > one.upTo) {
			c.fault("allocated-twice", fmt.Sprintf("%s while pod %s was on %s", one.what, pod.name, pod.node))
		}
		return true
	})
}
