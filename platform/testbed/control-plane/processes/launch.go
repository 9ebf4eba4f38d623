//go:build linux

package processes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"claimstream.dev/testbed/control-plane/launcher"
)

// A request to start a process, with the channel for its error.
type launch struct {
	command *exec.Cmd
	reply   chan<- error
}

// serveLaunches starts processes on one thread that never ends: the kernel kills a process with the thread that started it.
func serveLaunches(launches <-chan launch) {
	runtime.LockOSThread()
	for each := range launches {
		each.reply <- each.command.Start()
	}
}

func start(launches chan<- launch, command *exec.Cmd) error {
	reply := make(chan error)
	launches <- launch{command, reply}
	return <-reply
}

// The output streams of a process.
type output struct{ out, err *os.File }

// launchContainer starts the process of a container in its own namespaces, and returns when the command runs.
func launchContainer(launches chan<- launch, spec launcher.Spec) (*os.Process, *output, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, nil, err
	}
	pipes, err := openPipes(4)
	if err != nil {
		return nil, nil, err
	}
	given, report, out, failures := pipes[0], pipes[1], pipes[2], pipes[3]
	command := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{launcher.Name}, Env: []string{}, Stdout: out.write, Stderr: failures.write,
		ExtraFiles: []*os.File{given.read, report.write},
		SysProcAttr: &syscall.SysProcAttr{
			Pdeathsig: syscall.SIGKILL, Setsid: true, Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC,
		},
	}
	err = start(launches, command)
	for _, each := range []*os.File{given.read, report.write, out.write, failures.write} {
		_ = each.Close()
	}
	if err != nil {
		for _, each := range []*os.File{given.write, report.read, out.read, failures.read} {
			_ = each.Close()
		}
		return nil, nil, namespacesNeeded(err)
	}
	_, wrote := given.write.Write(text)
	_ = given.write.Close()
	problem, read := io.ReadAll(report.read)
	_ = report.read.Close()
	err = errors.Join(wrote, read)
	if len(problem) > 0 {
		err = errors.New(string(problem))
	}
	if err != nil {
		_ = command.Process.Kill()
		_ = command.Wait()
		_, _ = out.read.Close(), failures.read.Close()
		return nil, nil, err
	}
	return command.Process, &output{out.read, failures.read}, nil
}

func namespacesNeeded(err error) error {
	if errors.Is(err, syscall.EPERM) {
		return fmt.Errorf("no namespaces for a container (%w): run the process kubelet as root, or with `unshare --map-root-user --mount`", err)
	}
	return err
}

type pipe struct{ read, write *os.File }

func openPipes(count int) ([]pipe, error) {
	made := make([]pipe, count)
	for i := range made {
		read, write, err := os.Pipe()
		if err != nil {
			for _, each := range made[:i] {
				_, _ = each.read.Close(), each.write.Close()
			}
			return nil, err
		}
		made[i] = pipe{read, write}
	}
	return made, nil
}

// copyTo copies both streams into a log until they end.
func (o *output) copyTo(log *logFile) <-chan struct{} {
	done := make(chan struct{})
	var both sync.WaitGroup
	both.Go(func() { log.copy("stdout", o.out) })
	both.Go(func() { log.copy("stderr", o.err) })
	go func() {
		both.Wait()
		_, _ = o.out.Close(), o.err.Close()
		close(done)
	}()
	return done
}

// enter returns a command that runs in the namespaces of a container, as the user of the container.
func (c *container) enter(words []string) (*exec.Cmd, error) {
	pid, err := c.pid()
	if err != nil {
		return nil, err
	}
	line := append([]string{"--target", pid, "--mount", "--pid", "--uts", "--ipc", "--root", "--wdns=" + c.spec.Folder,
		"--setuid", fmt.Sprint(c.spec.User), "--setgid", fmt.Sprint(c.spec.Group), "--"}, words...)
	command := exec.Command("nsenter", line...)
	command.Env = c.spec.Environment
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return command, nil
}

// collect runs a command and returns its output.
func collect(launches chan<- launch, command *exec.Cmd, end <-chan struct{}) (stdout, stderr []byte, err error) {
	var out, failures bytes.Buffer
	command.Stdout, command.Stderr = &out, &failures
	if err := start(launches, command); err != nil {
		return nil, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- command.Wait() }()
	select {
	case err = <-done:
	case <-end:
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-done
		err = errEnded
	}
	return out.Bytes(), failures.Bytes(), err
}

var errEnded = errors.New("it was ended")
