//go:build linux

package processes

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	api "k8s.io/cri-api/pkg/apis/runtime/v1"

	"claimstream.dev/testbed/control-plane/launcher"
)

// A container: a process and its children.
type container struct {
	id      string
	sandbox *sandbox
	config  *api.ContainerConfig
	folder  string
	spec    launcher.Spec
	log     *logFile
	created time.Time

	lock     sync.Mutex
	state    api.ContainerState
	process  *os.Process
	started  time.Time
	finished time.Time
	exit     int
	done     chan struct{} // closed at the end of the process
}

func newID() string {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func notFound(what, id string) error { return status.Errorf(codes.NotFound, "no %s %s", what, id) }

// CreateContainer prepares the process of a container.
func (r *Runtime) CreateContainer(_ context.Context, sandboxID string, config *api.ContainerConfig, _ *api.PodSandboxConfig) (string, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	owner, isThere := r.sandboxes[sandboxID]
	if !isThere {
		return "", notFound("pod sandbox", sandboxID)
	}
	r.noticeContainer(owner, config)
	made := &container{id: newID(), sandbox: owner, config: config, created: time.Now(), done: make(chan struct{})}
	made.folder = filepath.Join(r.folder, "containers", made.id)
	made.log = newLogFile(filepath.Join(owner.config.GetLogDirectory(), config.GetLogPath()))
	if err := os.MkdirAll(filepath.Join(made.folder, "root"), 0o755); err != nil {
		return "", err
	}
	if err := r.specify(made); err != nil {
		return "", err
	}
	r.containers[made.id] = made
	return made.id, nil
}

// StartContainer starts the process. It fails if the command cannot be run.
func (r *Runtime) StartContainer(_ context.Context, id string) error {
	found, err := r.find(id)
	if err != nil {
		return err
	}
	return found.start(r.launches)
}

// StopContainer terminates the process, and kills it after the timeout.
func (r *Runtime) StopContainer(_ context.Context, id string, timeout int64) error {
	found, err := r.find(id)
	if err != nil {
		return err
	}
	found.stop(time.Duration(timeout) * time.Second)
	return nil
}

// RemoveContainer kills and removes a container. The kubelet owns its log.
func (r *Runtime) RemoveContainer(_ context.Context, id string) error {
	found, err := r.find(id)
	if err != nil {
		return nil
	}
	found.stop(0)
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.containers, id)
	return os.RemoveAll(found.folder)
}

// ListContainers lists the containers that a filter selects.
func (r *Runtime) ListContainers(_ context.Context, filter *api.ContainerFilter) ([]*api.Container, error) {
	listed := []*api.Container{}
	for _, each := range r.all() {
		about := each.status()
		if filter.GetId() != "" && filter.GetId() != each.id || filter.GetState() != nil && filter.GetState().GetState() != about.GetState() ||
			filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != each.sandbox.id || !selects(filter.GetLabelSelector(), each.config.GetLabels()) {
			continue
		}
		listed = append(listed, &api.Container{Id: each.id, PodSandboxId: each.sandbox.id, Metadata: about.GetMetadata(), Image: about.GetImage(),
			ImageRef: about.GetImageRef(), ImageId: about.GetImageId(), State: about.GetState(), CreatedAt: about.GetCreatedAt(),
			Labels: about.GetLabels(), Annotations: about.GetAnnotations()})
	}
	return listed, nil
}

// ContainerStatus describes a container.
func (r *Runtime) ContainerStatus(_ context.Context, id string, _ bool) (*api.ContainerStatusResponse, error) {
	found, err := r.find(id)
	if err != nil {
		return nil, err
	}
	return &api.ContainerStatusResponse{Status: found.status()}, nil
}

// UpdateContainerResources does nothing: resources are not limited.
func (r *Runtime) UpdateContainerResources(context.Context, string, *api.ContainerResources) error {
	return nil
}

// ReopenContainerLog begins a new log file after the kubelet has renamed the old one.
func (r *Runtime) ReopenContainerLog(_ context.Context, id string) error {
	found, err := r.find(id)
	if err != nil {
		return err
	}
	return found.log.reopen()
}

func (c *container) status() *api.ContainerStatus {
	c.lock.Lock()
	defer c.lock.Unlock()
	made := &api.ContainerStatus{
		Id: c.id, Metadata: c.config.GetMetadata(), State: c.state, CreatedAt: c.created.UnixNano(), Image: c.config.GetImage(),
		ImageRef: c.config.GetImage().GetImage(), ImageId: c.config.GetImage().GetImage(), Labels: c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(), Mounts: c.config.GetMounts(), LogPath: c.log.path,
	}
	if c.state != api.ContainerState_CONTAINER_CREATED {
		made.StartedAt = c.started.UnixNano()
	}
	if c.state == api.ContainerState_CONTAINER_EXITED {
		made.FinishedAt, made.ExitCode, made.Reason = c.finished.UnixNano(), int32(c.exit), "Completed"
		if c.exit != 0 {
			made.Reason = "Error"
		}
	}
	return made
}

// start returns when the command runs, or with an error if it does not.
func (c *container) start(launches chan<- launch) error {
	if err := c.log.reopen(); err != nil {
		return err
	}
	process, output, err := launchContainer(launches, c.spec)
	if err != nil {
		c.log.close()
		c.end(time.Now(), 128)
		return fmt.Errorf("container %s: %w", c.config.GetMetadata().GetName(), err)
	}
	c.lock.Lock()
	c.state, c.process, c.started = api.ContainerState_CONTAINER_RUNNING, process, time.Now()
	c.lock.Unlock()
	go c.await(process, output.copyTo(c.log))
	return nil
}

// await stores the exit code of the process after its last output.
func (c *container) await(process *os.Process, copied <-chan struct{}) {
	ended, err := process.Wait()
	exit := 255
	if err == nil {
		exit = exitCode(ended.Sys().(syscall.WaitStatus))
	}
	<-copied
	c.log.close()
	c.end(time.Now(), exit)
}

// exitCode returns the exit code as a shell does: 128 plus the number of the signal.
func exitCode(how syscall.WaitStatus) int {
	if how.Signaled() {
		return 128 + int(how.Signal())
	}
	return how.ExitStatus()
}

func (c *container) end(at time.Time, exit int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.started.IsZero() {
		c.started = at
	}
	c.state, c.finished, c.exit = api.ContainerState_CONTAINER_EXITED, at, exit
	close(c.done)
}

// signal sends a signal to a running process.
func (c *container) signal(which syscall.Signal) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.state == api.ContainerState_CONTAINER_RUNNING {
		_ = c.process.Signal(which) // the process may have ended
	}
}

func (c *container) kill() { c.signal(syscall.SIGKILL) }

// stop ends the process and waits for its end.
func (c *container) stop(grace time.Duration) {
	if c.status().GetState() != api.ContainerState_CONTAINER_RUNNING {
		return
	}
	if grace > 0 {
		c.signal(stopSignal(c.config.GetStopSignal()))
		select {
		case <-c.done:
			return
		case <-time.After(grace):
		}
	}
	c.kill()
	<-c.done
}

// stopSignal returns the signal of a name in an image or pod.
func stopSignal(wanted api.Signal) syscall.Signal {
	if number := unix.SignalNum(strings.TrimPrefix(wanted.String(), "SIGNAL_")); number != 0 {
		return number
	}
	return syscall.SIGTERM
}

func (c *container) pid() (string, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.state != api.ContainerState_CONTAINER_RUNNING {
		return "", fmt.Errorf("container %s does not run", c.config.GetMetadata().GetName())
	}
	return strconv.Itoa(c.process.Pid), nil
}
