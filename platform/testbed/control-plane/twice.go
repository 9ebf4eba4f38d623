package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The number of a change. One etcd counts the changes of all objects in one row, so numbers tell which of two came first, though each kind has a watch of its own.
type version uint64

func versionOf(text string) version {
	number, _ := strconv.ParseUint(text, 10, 64) // none of an object that was found missing
	return version(number)
}

// When a pod was on its node.
type life struct {
	name, node      string
	bound           version // it had its node then
	alive           version // it was not over before that
	isBound, isOver bool
}

// The lives of pods, also of those that are gone, and up to which change they are known.
type lives struct {
	pods  map[types.UID]*life
	known version
}

// note learns how a pod stands; isNext says that nothing was missed since it was told last, so that it was alive until now.
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

// missing learns that a pod was not in a list; until when it was alive is known only as far as it was seen.
func (l *lives) missing(uid types.UID) {
	if one := l.pods[uid]; one != nil {
		one.isOver = true
	}
}

func (l *lives) reached(now version) { l.known = max(l.known, now) }

// An allocation that came in place of another one, and a pod that had the other one.
type successor struct {
	pod         types.UID
	what        string
	after, upTo version // between which changes it came
	toldAt      time.Time
}

// succeed learns of an allocation that came after one that was cleared.
func (c *checker) succeed(claim *held, answered string, after, upTo version) {
	what := fmt.Sprintf("%s: %s, then %s", claim.name, claim.before.answered, answered)
	for _, each := range claim.before.consumers {
		c.successors = append(c.successors, successor{pod: each, what: what, after: after, upTo: upTo, toldAt: time.Now()})
	}
}

// tellSuccessors tells of each that came while a pod with the one before was on its node, once all is known of pods up to then: because something later
// was told of one, or because nothing was for long.
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
