//go:build linux

// Package launcher starts the process of a container in namespaces of its own.
//
// The process kubelet runs its own program under the name Name, in new mount, process and host name namespaces. That process prepares the file system that the
// specification describes, takes the user of the container, and becomes the container's command. Package initialization does this: the package imports only the
// standard library, so that nothing of Kubernetes is initialized first.
package launcher

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

const (
	// Name is the name (argument 0) under which the program becomes a container.
	Name = "control-plane-container"

	specFile   = 3 // the specification, as JSON
	reportFile = 4 // the error; closed without one if the command runs

	setDeathSignal  = 1  // PR_SET_PDEATHSIG
	setNoPrivileges = 38 // PR_SET_NO_NEW_PRIVS
)

// Mount maps a file or folder of the machine to a path of the container.
type Mount struct {
	Source   string `json:"source"`
	Target   string `json:"target"`
	ReadOnly bool   `json:"readOnly"`
}

// Spec describes the process of a container.
type Spec struct {
	Scratch      string   `json:"scratch"` // an empty folder for the container's file system layer
	Hostname     string   `json:"hostname"`
	Mounts       []Mount  `json:"mounts"`
	ReadOnlyRoot bool     `json:"readOnlyRoot"`
	NoPrivileges bool     `json:"noPrivileges"` // no new privileges by set-user-ID programs
	User         int      `json:"user"`
	Group        int      `json:"group"`
	Groups       []int    `json:"groups"`
	Folder       string   `json:"folder"` // working directory
	Command      []string `json:"command"`
	Environment  []string `json:"environment"`
}

func init() {
	if len(os.Args) == 0 || os.Args[0] != Name {
		return
	}
	runtime.LockOSThread()
	syscall.CloseOnExec(specFile)
	syscall.CloseOnExec(reportFile)
	err := run()
	fmt.Fprint(os.NewFile(reportFile, "report"), err)
	os.Exit(127)
}

// run returns only with an error.
func run() error {
	text, err := io.ReadAll(os.NewFile(specFile, "specification"))
	if err != nil {
		return err
	}
	var spec Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	if err := spec.enterRoot(); err != nil {
		return err
	}
	if err := syscall.Sethostname([]byte(spec.Hostname)); err != nil {
		return fmt.Errorf("host name %s: %w", spec.Hostname, err)
	}
	if err := os.Chdir(spec.Folder); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if err := spec.takeUser(); err != nil {
		return err
	}
	for _, each := range spec.Environment {
		if path, isPath := strings.CutPrefix(each, "PATH="); isPath {
			_ = os.Setenv("PATH", path)
		}
	}
	program, err := exec.LookPath(spec.Command[0])
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: %w", program, syscall.Exec(program, spec.Command, spec.Environment))
}

// takeUser sets groups and user, then the parent death signal, which a change of the user clears.
func (s *Spec) takeUser() error {
	if err := syscall.Setgroups(s.Groups); err != nil {
		return fmt.Errorf("groups %v: %w", s.Groups, err)
	}
	if err := syscall.Setgid(s.Group); err != nil {
		return fmt.Errorf("group %d: %w", s.Group, err)
	}
	if err := syscall.Setuid(s.User); err != nil {
		return fmt.Errorf("user %d: %w", s.User, err)
	}
	if _, _, failure := syscall.RawSyscall(syscall.SYS_PRCTL, setDeathSignal, uintptr(syscall.SIGKILL), 0); failure != 0 {
		return fmt.Errorf("PR_SET_PDEATHSIG: %w", failure)
	}
	if s.NoPrivileges {
		if _, _, failure := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoPrivileges, 1, 0, 0, 0, 0); failure != 0 {
			return fmt.Errorf("PR_SET_NO_NEW_PRIVS: %w", failure)
		}
	}
	return nil
}

// enterRoot creates the container's root: the machine's file system below an in-memory layer for writes, and the mounts above it.
func (s *Spec) enterRoot() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	sources, err := s.openSources()
	if err != nil {
		return err
	}
	others, err := otherMounts()
	if err != nil {
		return err
	}
	root, err := s.mountRoot()
	if err != nil {
		return err
	}
	shown := showOthers(root, others)
	if err := mountFresh("proc", filepath.Join(root, "proc")); err != nil {
		return err
	}
	if err := syscall.Chroot(root); err != nil {
		return fmt.Errorf("chroot: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	for i, each := range s.Mounts {
		if err := prepareTarget(sources[i], each.Target); err != nil {
			return fmt.Errorf("mount point %s: %w", each.Target, err)
		}
	}
	if s.ReadOnlyRoot {
		if err := makeReadOnly(append(shown, "/")); err != nil {
			return err
		}
	}
	for i, each := range s.Mounts {
		if err := each.bind(sources[i]); err != nil {
			return fmt.Errorf("mount of %s at %s: %w", each.Source, each.Target, err)
		}
	}
	return nil
}

// openSources opens the sources of the mounts, because a mount may hide the source of another one.
func (s *Spec) openSources() ([]*os.File, error) {
	const pathOnly = 0x200000 // O_PATH
	made := make([]*os.File, 0, len(s.Mounts))
	for _, each := range s.Mounts {
		file, err := os.OpenFile(each.Source, pathOnly|syscall.O_CLOEXEC, 0)
		if err != nil {
			return nil, fmt.Errorf("mount at %s: %w", each.Target, err)
		}
		made = append(made, file)
	}
	return made, nil
}

// mountRoot mounts the new root and returns its folder.
func (s *Spec) mountRoot() (string, error) {
	if err := mountFresh("tmpfs", s.Scratch); err != nil {
		return "", err
	}
	upper, work, root := filepath.Join(s.Scratch, "upper"), filepath.Join(s.Scratch, "work"), filepath.Join(s.Scratch, "root")
	for _, each := range []string{upper, work, root} {
		if err := os.Mkdir(each, 0o755); err != nil {
			return "", err
		}
	}
	layers := fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", upper, work)
	if err := syscall.Mount("overlay", root, "overlay", 0, layers); err != nil {
		return "", fmt.Errorf("overlay file system (%s): %w", layers, err)
	}
	return root, nil
}

func mountFresh(kind, target string) error {
	if err := syscall.Mount(kind, target, kind, 0, ""); err != nil {
		return fmt.Errorf("%s at %s: %w", kind, target, err)
	}
	return nil
}

// otherMounts returns the mount points of the machine's other file systems, except nested ones and /proc.
func otherMounts() ([]string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	points := []string{"/proc"}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 && fields[4] != "/" {
			points = append(points, unescape.Replace(fields[4]))
		}
	}
	outer := []string{}
	for _, each := range points[1:] {
		isInner := false
		for _, other := range points {
			isInner = isInner || each == "/proc" || strings.HasPrefix(each, other+"/")
		}
		if !isInner {
			outer = append(outer, each)
		}
	}
	return outer, nil
}

// showOthers mounts the other file systems in the new root. It omits those that the root does not reach, which are hidden on the machine as well.
func showOthers(root string, points []string) []string {
	shown := []string{}
	for _, each := range points {
		if syscall.Mount(each, root+each, "", syscall.MS_BIND|syscall.MS_REC, "") == nil {
			shown = append(shown, each)
		}
	}
	return shown
}

// prepareTarget creates the target of a mount: a folder, or a file for a file.
func prepareTarget(source *os.File, target string) error {
	about, err := source.Stat()
	if err != nil {
		return err
	}
	if about.IsDir() {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// makeReadOnly makes the mount points read-only, except /dev and /sys.
func makeReadOnly(points []string) error {
	for _, each := range points {
		if each == "/dev" || each == "/sys" || strings.HasPrefix(each, "/dev/") || strings.HasPrefix(each, "/sys/") {
			continue
		}
		if err := syscall.Mount("", each, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
			return fmt.Errorf("read-only %s: %w", each, err)
		}
	}
	return nil
}

func (m Mount) bind(source *os.File) error {
	if err := syscall.Mount(fmt.Sprintf("/proc/self/fd/%d", source.Fd()), m.Target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	flags := uintptr(syscall.MS_REMOUNT | syscall.MS_BIND)
	if m.ReadOnly {
		flags |= syscall.MS_RDONLY
	}
	return syscall.Mount("", m.Target, "", flags, "")
}
