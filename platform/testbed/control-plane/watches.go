package main

import (
	"context"
	"sync"
)

// The open watches.
type watches struct {
	lock  sync.Mutex
	next  int
	opens map[int]func()
}

// open returns the context of a watch, which ends when all watches are broken, and the function to call at its end.
func (w *watches) open(parent context.Context, broke func()) (context.Context, func()) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.opens == nil {
		w.opens = map[int]func(){}
	}
	ctx, cancel := context.WithCancel(parent)
	id := w.next
	w.next++
	w.opens[id] = func() {
		broke()
		cancel()
	}
	return ctx, func() {
		w.lock.Lock()
		defer w.lock.Unlock()
		delete(w.opens, id)
		cancel()
	}
}

func (w *watches) breakAll() {
	w.lock.Lock()
	defer w.lock.Unlock()
	for id, breaks := range w.opens {
		breaks()
		delete(w.opens, id)
	}
}
