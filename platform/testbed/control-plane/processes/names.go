//go:build linux

package processes

import (
	"os"
	"sync"
)

// Names writes the hosts files of pods: the kubelet's lines, then the Services.
type Names struct {
	lock  sync.Mutex
	lines func(namespace string) string
	files map[string]hosts
}

// A hosts file: its first lines, and the namespace whose Services have short names.
type hosts struct{ own, namespace string }

func newNames(lines func(namespace string) string) *Names {
	return &Names{lines: lines, files: map[string]hosts{}}
}

func (n *Names) keep(path, namespace, own string) error {
	n.lock.Lock()
	defer n.lock.Unlock()
	n.files[path] = hosts{own, namespace}
	return n.write(path)
}

func (n *Names) drop(path string) {
	n.lock.Lock()
	defer n.lock.Unlock()
	delete(n.files, path)
}

// refresh writes the files that have changed.
func (n *Names) refresh() {
	n.lock.Lock()
	defer n.lock.Unlock()
	for path := range n.files {
		_ = n.write(path) // the pod is being deleted
	}
}

// write changes the content in place, because containers have mounted the file.
func (n *Names) write(path string) error {
	about := n.files[path]
	text := []byte(about.own + "\n# Services\n" + n.lines(about.namespace))
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(text); err != nil {
		return err
	}
	return file.Truncate(int64(len(text)))
}
