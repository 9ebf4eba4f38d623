//go:build linux

package processes

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	api "k8s.io/cri-api/pkg/apis/runtime/v1"

	"claimstream.dev/testbed/control-plane/launcher"
)

const hostsPath = "/etc/hosts"

// specify returns the specification of a container's process, from its pod and image.
func (r *Runtime) specify(c *container) error {
	config, secure := c.config, c.config.GetLinux().GetSecurityContext()
	entry, err := r.images.entry(config.GetImage().GetImage())
	if err != nil {
		return err
	}
	c.spec = launcher.Spec{
		Scratch: filepath.Join(c.folder, "root"), Hostname: hostname(c.sandbox), ReadOnlyRoot: secure.GetReadonlyRootfs(),
		NoPrivileges: secure.GetNoNewPrivs(), Folder: config.GetWorkingDir(), Command: entry,
	}
	if c.spec.Folder == "" {
		c.spec.Folder = "/"
	}
	if len(config.GetCommand()) > 0 {
		c.spec.Command = config.GetCommand()
	}
	c.spec.Command = append(slices.Clone(c.spec.Command), config.GetArgs()...)
	if len(c.spec.Command) == 0 {
		return fmt.Errorf("image %s has no command, and container %s names none: give one with --image %[1]s=COMMAND", config.GetImage().GetImage(), config.GetMetadata().GetName())
	}
	home, err := specifyUser(&c.spec, secure)
	if err != nil {
		return err
	}
	c.spec.Environment = r.environment(c, home)
	return r.specifyMounts(c)
}

func hostname(s *sandbox) string {
	if name := s.config.GetHostname(); name != "" {
		return name
	}
	name, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return name
}

// specifyUser sets user and groups, and returns the home folder.
func specifyUser(spec *launcher.Spec, secure *api.LinuxContainerSecurityContext) (string, error) {
	home := "/"
	if secure.GetRunAsUser() != nil {
		spec.User = int(secure.GetRunAsUser().GetValue())
	}
	var known *user.User
	var err error
	if name := secure.GetRunAsUsername(); name != "" {
		if known, err = user.Lookup(name); err != nil {
			return "", err
		}
		spec.User, _ = strconv.Atoi(known.Uid)
	} else if known, err = user.LookupId(strconv.Itoa(spec.User)); err != nil {
		known = nil
	}
	if known != nil {
		home = known.HomeDir
		spec.Group, _ = strconv.Atoi(known.Gid)
	}
	if secure.GetRunAsGroup() != nil {
		spec.Group = int(secure.GetRunAsGroup().GetValue())
	}
	spec.Groups = []int{}
	for _, each := range secure.GetSupplementalGroups() {
		spec.Groups = append(spec.Groups, int(each))
	}
	return home, nil
}

// environment returns the variables of the image, then those of the kubelet. It names the address on which the API server listens, because the port of its
// Service needs a privilege.
func (r *Runtime) environment(c *container, home string) []string {
	made := []string{"HOME=" + home, "HOSTNAME=" + c.spec.Hostname}
	for _, name := range []string{"PATH", "JAVA_HOME", "LANG"} {
		if value, isSet := os.LookupEnv(name); isSet {
			made = append(made, name+"="+value)
		}
	}
	for _, each := range c.config.GetEnvs() {
		value := string(each.GetValue())
		switch each.GetKey() {
		case "KUBERNETES_SERVICE_HOST":
			value = r.server.Host
		case "KUBERNETES_SERVICE_PORT", "KUBERNETES_SERVICE_PORT_HTTPS":
			value = r.server.Port
		}
		made = slices.DeleteFunc(made, func(other string) bool { return strings.HasPrefix(other, each.GetKey()+"=") })
		made = append(made, each.GetKey()+"="+value)
	}
	return made
}

// specifyMounts sets the kubelet's mounts, with a hosts file that contains the Services.
func (r *Runtime) specifyMounts(c *container) error {
	hosts := hostsFile(c.sandbox)
	own := ""
	for _, each := range c.config.GetMounts() {
		if each.GetContainerPath() == hostsPath {
			text, err := os.ReadFile(each.GetHostPath())
			if err != nil {
				return err
			}
			own = string(text)
			continue
		}
		if each.GetImage() != nil {
			return fmt.Errorf("container %s: a volume of type image is not supported", c.config.GetMetadata().GetName())
		}
		c.spec.Mounts = append(c.spec.Mounts, launcher.Mount{Source: each.GetHostPath(), Target: each.GetContainerPath(), ReadOnly: each.GetReadonly()})
	}
	if own == "" {
		text, err := os.ReadFile(hostsPath)
		if err != nil {
			return err
		}
		own = string(text)
	}
	if err := r.names.keep(hosts, c.sandbox.config.GetMetadata().GetNamespace(), own); err != nil {
		return err
	}
	c.spec.Mounts = append(c.spec.Mounts, launcher.Mount{Source: hosts, Target: hostsPath})
	slices.SortStableFunc(c.spec.Mounts, func(a, b launcher.Mount) int { return strings.Count(a.Target, "/") - strings.Count(b.Target, "/") })
	return nil
}

func hostsFile(s *sandbox) string { return filepath.Join(s.folder, "hosts") }
