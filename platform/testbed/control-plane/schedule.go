package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The faults between a client and its API server.
const (
	tooMany   = "too-many"
	broken    = "broken"
	slow      = "slow"
	lost      = "lost"
	unheard   = "unheard"
	cut       = "cut"
	expired   = "expired"
	forgotten = "forgotten"
)

// A fault, and the requests that it can affect.
type fault struct {
	name    string
	befalls func(*http.Request) bool
	usual   time.Duration // default duration, for faults that have one
}

// In the order of their evaluation.
var faults = []fault{
	{tooMany, isAny, time.Second},
	{broken, isAny, 0},
	{slow, isAny, 2 * time.Second},
	{lost, isAny, 0},
	{unheard, isWrite, 0},
	{cut, isWatch, 2 * time.Second},
	{expired, isWatch, 2 * time.Second},
	{forgotten, isNextPage, 0},
}

func isAny(*http.Request) bool { return true }

func isWrite(request *http.Request) bool {
	return request.Method != http.MethodGet && request.Method != http.MethodHead
}

func isWatch(request *http.Request) bool {
	asked := request.URL.Query().Get("watch")
	return !isWrite(request) && (asked == "1" || asked == "true")
}

func isNextPage(request *http.Request) bool {
	return !isWrite(request) && request.URL.Query().Get("continue") != ""
}

// The probability of a fault, and its duration.
type setting struct {
	share float64
	time  time.Duration
}

// Assigns faults to requests, and counts them.
type schedule struct {
	lock     sync.Mutex
	chance   *rand.Rand
	settings map[string]setting
	injected map[string]int
	closed   map[string]closure
	early    map[string]int
}

// Requests that must not be sent before the announced time.
type closure struct{ said, over time.Time }

// Time after a Retry-After in which requests count as sent before it.
const onItsWay = 100 * time.Millisecond

func newSchedule(seed uint64) *schedule {
	return &schedule{chance: rand.New(rand.NewPCG(seed, seed)), settings: map[string]setting{}, injected: map[string]int{},
		closed: map[string]closure{}, early: map[string]int{}}
}

// obey runs a command.
func (s *schedule) obey(words []string) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case len(words) == 1 && words[0] == "counts":
		return nil
	case len(words) == 1 && words[0] == "calm":
		clear(s.settings)
		return nil
	}
	for _, each := range faults {
		if len(words) > 0 && words[0] == each.name {
			return s.set(each, words[1:])
		}
	}
	return fmt.Errorf("%q: must begin with a fault, or be break, calm or counts: see control-plane faults -h", strings.Join(words, " "))
}

func (s *schedule) set(one fault, words []string) error {
	if len(words) == 0 || len(words) > 2 || len(words) == 2 && one.usual == 0 {
		return fmt.Errorf("%s %s: see control-plane faults -h for what follows", one.name, strings.Join(words, " "))
	}
	share, err := strconv.ParseFloat(words[0], 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return fmt.Errorf("%s %s: the share must be a number from 0 to 1", one.name, words[0])
	}
	lasts := one.usual
	if len(words) == 2 {
		if lasts, err = time.ParseDuration(words[1]); err != nil || lasts <= 0 {
			return fmt.Errorf("%s %s: the time must be one like 2s or 500ms", one.name, words[1])
		}
	}
	if one.name == tooMany && lasts%time.Second != 0 {
		return fmt.Errorf("%s %s: Retry-After knows whole seconds only", one.name, lasts)
	}
	s.settings[one.name] = setting{share, lasts}
	return nil
}

// next returns the fault of a request and its duration; "" for none. It draws the same number of random values for each request.
func (s *schedule) next(request *http.Request) (string, time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.noteEarly(request)
	drawn, part := s.chance.Float64(), s.chance.Float64()
	for _, each := range faults {
		chosen := s.settings[each.name]
		if !each.befalls(request) {
			continue
		}
		if drawn < chosen.share {
			return each.name, s.lasting(each.name, chosen.time, part)
		}
		drawn -= chosen.share
	}
	return "", 0
}

func (s *schedule) lasting(name string, longest time.Duration, part float64) time.Duration {
	if name == tooMany {
		return longest
	}
	return time.Duration(part * float64(longest))
}

// count counts a fault.
func (s *schedule) count(name string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.injected[name]++
}

// number returns the count of a fault.
func (s *schedule) number(name string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.injected[name]
}

// sendAway counts a request that gets a Retry-After.
func (s *schedule) sendAway(request *http.Request, after time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.injected[tooMany]++
	now := time.Now()
	s.closed[target(request)] = closure{now, now.Add(after)}
}

func (s *schedule) noteEarly(request *http.Request) {
	now, closed := time.Now(), s.closed[target(request)]
	if now.Sub(closed.said) > onItsWay && now.Before(closed.over) {
		s.early[target(request)]++
	}
}

// target returns the resource of a request. A list and the watch after it have the same target.
func target(request *http.Request) string { return request.Method + " " + request.URL.Path }

func (s *schedule) counts() map[string]any {
	s.lock.Lock()
	defer s.lock.Unlock()
	injected, early := map[string]int{}, map[string]int{}
	for _, each := range faults {
		injected[each.name] = s.injected[each.name]
	}
	for name, count := range s.early {
		early[name] = count
	}
	return map[string]any{"injected": injected, "early": early}
}
