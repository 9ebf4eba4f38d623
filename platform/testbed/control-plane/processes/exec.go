//go:build linux

package processes

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	remote "k8s.io/cri-client/pkg"
	utilexec "k8s.io/utils/exec"
)

// ExecSync runs a command in a container, for probes and hooks, and returns the errors that the kubelet expects.
func (r *Runtime) ExecSync(ctx context.Context, id string, words []string, timeout time.Duration) ([]byte, []byte, error) {
	found, err := r.find(id)
	if err != nil {
		return nil, nil, err
	}
	command, err := found.enter(words)
	if err != nil {
		return nil, nil, err
	}
	if timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ctx = limited
	}
	stdout, stderr, err := collect(r.launches, command, ctx.Done())
	line := strings.Join(words, " ")
	var failed *exec.ExitError
	switch {
	case errors.Is(err, errEnded) && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, nil, fmt.Errorf("%w: %q timed out after %s", remote.ErrCommandTimedOut, line, timeout)
	case errors.As(err, &failed):
		code := exitCode(failed.Sys().(syscall.WaitStatus))
		return stdout, stderr, utilexec.CodeExitError{Err: fmt.Errorf("command '%s' exited with %d: %s", line, code, stderr), Code: code}
	}
	return stdout, stderr, err
}
