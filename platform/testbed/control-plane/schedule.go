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

// What can go wrong between a client and its API server.
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

// A fault and the requests that it can befall.
type fault struct {
	name    string
	befalls func(*http.Request) bool
	usual   time.Duration // where it takes a time
}

// In the order in which they are tried.
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

// How often a fault is to be, and the time that goes with it.
type setting struct {
	share float64
	time  time.Duration
}

// Which request meets which fault, and what came of it.
type schedule struct {
	lock     sync.Mutex
	chance   *rand.Rand
	settings map[string]setting
	injected map[string]int
	closed   map[string]closure
	early    map[string]int
}

// What is not to be asked for any more once it was said, until it is over.
type closure struct{ said, over time.Time }

// What was on its way when an answer told to stay away could not know it.
const onItsWay = 100 * time.Millisecond

func newSchedule(seed uint64) *schedule {
	return &schedule{chance: rand.New(rand.NewPCG(seed, seed)), settings: map[string]setting{}, injected: map[string]int{},
		closed: map[string]closure{}, early: map[string]int{}}
}

// obey does what a line says.
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

// next says which fault a request meets, none being "", and the time that goes with it. It asks chance as often for each.
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

// count notes a fault that a request has met.
func (s *schedule) count(name string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.injected[name]++
}

// number gives how many of a fault there were.
func (s *schedule) number(name string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.injected[name]
}

// sendAway counts a request that is told to come again after a time.
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

// target names what is asked for: a list and the watch that follows it are one.
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
