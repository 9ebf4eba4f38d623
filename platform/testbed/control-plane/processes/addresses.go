//go:build linux

package processes

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// Addresses of pods: 127.64.0.0/10. They are random, so that nodes and control planes on one machine need no coordination.
type addresses struct {
	lock  sync.Mutex
	taken map[string]bool
}

func newAddresses() *addresses { return &addresses{taken: map[string]bool{}} }

func (a *addresses) take() string {
	a.lock.Lock()
	defer a.lock.Unlock()
	for {
		made := fmt.Sprintf("127.%d.%d.%d", 64+rand.N(64), rand.N(256), 1+rand.N(254))
		if !a.taken[made] {
			a.taken[made] = true
			return made
		}
	}
}

func (a *addresses) free(address string) {
	a.lock.Lock()
	defer a.lock.Unlock()
	delete(a.taken, address)
}
