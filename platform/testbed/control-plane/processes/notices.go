//go:build linux

package processes

import (
	"sync"

	api "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Notices reports fields without effect, once per object and field.
type Notices struct {
	tell func(object, field, why string)
	lock sync.Mutex
	told map[[2]string]bool
}

// NewNotices returns notices that are passed to a function.
func NewNotices(tell func(object, field, why string)) *Notices {
	return &Notices{tell: tell, told: map[[2]string]bool{}}
}

func (n *Notices) ignore(object, field, why string) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if key := [2]string{object, field}; !n.told[key] {
		n.told[key] = true
		n.tell(object, field, why)
	}
}

func (r *Runtime) noticePod(config *api.PodSandboxConfig) {
	object := "pod " + config.GetMetadata().GetNamespace() + "/" + config.GetMetadata().GetName()
	linux := config.GetLinux()
	if len(linux.GetSysctls()) > 0 {
		r.notices.ignore(object, "spec.securityContext.sysctls", "processes share the kernel settings of the machine")
	}
	if linux.GetSecurityContext().GetNamespaceOptions().GetNetwork() == api.NamespaceMode_NODE {
		r.notices.ignore(object, "spec.hostNetwork", "every pod has the network of the machine")
	}
	if linux.GetSecurityContext().GetNamespaceOptions().GetPid() != api.NamespaceMode_CONTAINER {
		r.notices.ignore(object, "spec.hostPID, spec.shareProcessNamespace", "each container has a process namespace of its own")
	}
}

func (r *Runtime) noticeContainer(owner *sandbox, config *api.ContainerConfig) {
	about := owner.config.GetMetadata()
	object := "pod " + about.GetNamespace() + "/" + about.GetName() + " container " + config.GetMetadata().GetName()
	secure, resources := config.GetLinux().GetSecurityContext(), config.GetLinux().GetResources()
	for field, isSet := range map[string]bool{
		"resources.limits":                resources.GetCpuQuota() > 0 || resources.GetMemoryLimitInBytes() > 0,
		"securityContext.capabilities":    len(secure.GetCapabilities().GetAddCapabilities())+len(secure.GetCapabilities().GetDropCapabilities()) > 0,
		"securityContext.seccompProfile":  secure.GetSeccomp() != nil && secure.GetSeccomp().GetProfileType() != api.SecurityProfile_Unconfined,
		"securityContext.seLinuxOptions":  secure.GetSelinuxOptions() != nil && secure.GetSelinuxOptions().GetType() != "",
		"securityContext.appArmorProfile": secure.GetApparmor() != nil && secure.GetApparmor().GetProfileType() == api.SecurityProfile_Localhost,
		"stdin":                           config.GetStdin(),
		"tty":                             config.GetTty(),
		"volumeDevices":                   len(config.GetDevices()) > 0,
	} {
		if isSet {
			r.notices.ignore(object, field, "a process kubelet does not apply it")
		}
	}
}
