//go:build linux

package processes

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	listenAgain = time.Second
	zone        = "svc.cluster.local"
)

// Services forwards the ports of each Service from its cluster address, which must be on the loopback, to the ready pods, and names the Services in the hosts
// files of pods. It selects the pods itself, because EndpointSlices must not contain loopback addresses. If several nodes run on one machine, the first one that
// binds an address forwards it, and another one takes over after its end.
type Services struct {
	Names    *Names
	services listers.ServiceLister
	pods     listers.PodLister
	notices  *Notices
	server   string // host and port of the API server
	changed  chan struct{}

	lock  sync.Mutex
	ports map[string]*forwarder // by address and port
}

// NewServices watches Services and pods until the context ends.
func NewServices(ctx context.Context, client kubernetes.Interface, server string, notices *Notices) (*Services, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	made := &Services{
		services: factory.Core().V1().Services().Lister(), pods: factory.Core().V1().Pods().Lister(),
		notices: notices, server: server, changed: make(chan struct{}, 1), ports: map[string]*forwarder{},
	}
	made.Names = newNames(made.lines)
	told := func(any) { made.tell() }
	events := cache.ResourceEventHandlerFuncs{AddFunc: told, UpdateFunc: func(_, object any) { told(object) }, DeleteFunc: told}
	for _, each := range []cache.SharedIndexInformer{factory.Core().V1().Services().Informer(), factory.Core().V1().Pods().Informer()} {
		if _, err := each.AddEventHandler(events); err != nil {
			return nil, err
		}
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	go made.follow(ctx)
	return made, nil
}

func (s *Services) tell() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// follow opens the ports of new Services and closes those of deleted Services. It retries addresses that were in use.
func (s *Services) follow(ctx context.Context) {
	retry := time.NewTicker(listenAgain)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			s.Names.refresh()
		case <-retry.C:
		}
		s.listen()
	}
}

func (s *Services) listen() {
	wanted := map[string]func() []string{}
	for _, service := range s.all() {
		if !hasAddress(service) {
			continue
		}
		for _, port := range service.Spec.Ports {
			if port.Protocol != core.ProtocolTCP {
				s.notices.ignore("service "+service.Namespace+"/"+service.Name, "spec.ports.protocol", "only TCP is forwarded")
				continue
			}
			wanted[net.JoinHostPort(service.Spec.ClusterIP, fmt.Sprint(port.Port))] = s.targets(service, port)
		}
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	for address, open := range s.ports {
		if wanted[address] == nil {
			open.close()
			delete(s.ports, address)
		}
	}
	for address, targets := range wanted {
		if open, isOpen := s.ports[address]; isOpen {
			open.redirect(targets)
		} else if made := newForwarder(address, targets); made != nil {
			s.ports[address] = made
		}
	}
}

func (s *Services) all() []*core.Service {
	found, err := s.services.List(labels.Everything())
	if err != nil {
		return nil
	}
	slices.SortFunc(found, func(a, b *core.Service) int { return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name) })
	return found
}

// hasAddress reports whether the cluster IP of a Service is on the loopback, where processes reach it.
func hasAddress(service *core.Service) bool {
	address := net.ParseIP(service.Spec.ClusterIP)
	return address != nil && address.IsLoopback()
}

// targets returns the possible targets of a connection at this time.
func (s *Services) targets(service *core.Service, port core.ServicePort) func() []string {
	if service.Namespace == core.NamespaceDefault && service.Name == "kubernetes" {
		return func() []string { return []string{s.server} }
	}
	return func() []string {
		made := []string{}
		for _, pod := range s.backends(service) {
			if number := targetPort(pod, port); number > 0 {
				made = append(made, net.JoinHostPort(pod.Status.PodIP, fmt.Sprint(number)))
			}
		}
		return made
	}
}

func targetPort(pod *core.Pod, port core.ServicePort) int32 {
	if name := port.TargetPort.StrVal; name != "" {
		for _, container := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
			for _, each := range container.Ports {
				if each.Name == name {
					return each.ContainerPort
				}
			}
		}
		return 0
	}
	if port.TargetPort.IntVal > 0 {
		return port.TargetPort.IntVal
	}
	return port.Port
}

// backends returns the pods of a Service that are ready, or all if it publishes unready ones.
func (s *Services) backends(service *core.Service) []*core.Pod {
	if len(service.Spec.Selector) == 0 {
		return nil
	}
	found, err := s.pods.Pods(service.Namespace).List(labels.SelectorFromSet(service.Spec.Selector))
	if err != nil {
		return nil
	}
	found = slices.DeleteFunc(found, func(pod *core.Pod) bool {
		isOver := pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed
		return pod.Status.PodIP == "" || isOver || !service.Spec.PublishNotReadyAddresses && (pod.DeletionTimestamp != nil || !isPodReady(pod))
	})
	slices.SortFunc(found, func(a, b *core.Pod) int { return strings.Compare(a.Name, b.Name) })
	return found
}

func isPodReady(pod *core.Pod) bool {
	for _, each := range pod.Status.Conditions {
		if each.Type == core.PodReady {
			return each.Status == core.ConditionTrue
		}
	}
	return false
}

// lines returns the names of all Services, with short names for one namespace.
func (s *Services) lines(namespace string) string {
	var text strings.Builder
	for _, service := range s.all() {
		if service.Spec.ClusterIP == core.ClusterIPNone {
			for _, pod := range s.backends(service) {
				fmt.Fprintf(&text, "%s\t%s\n", pod.Status.PodIP, names(service.Name, service.Namespace, namespace))
				if pod.Spec.Subdomain == service.Name && pod.Spec.Hostname != "" {
					fmt.Fprintf(&text, "%s\t%s\n", pod.Status.PodIP, names(pod.Spec.Hostname+"."+service.Name, service.Namespace, namespace))
				}
			}
			continue
		}
		if hasAddress(service) {
			fmt.Fprintf(&text, "%s\t%s\n", service.Spec.ClusterIP, names(service.Name, service.Namespace, namespace))
			continue
		}
		s.notices.ignore("service "+service.Namespace+"/"+service.Name, "spec.clusterIP",
			"only loopback addresses are forwarded: start the control plane with `up --processes`, and use no ExternalName")
	}
	return text.String()
}

func names(name, own, viewer string) string {
	made := []string{name + "." + own + "." + zone, name + "." + own + ".svc", name + "." + own}
	if own == viewer {
		made = append(made, name)
	}
	return strings.Join(made, " ")
}
