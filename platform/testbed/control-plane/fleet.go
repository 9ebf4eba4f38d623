package main

import (
	"context"
	"fmt"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// The devices of each node, and the requests of the pods, in turn.
type fleet struct {
	driver  string
	devices int // per node; whole devices if they are partitioned
	isSplit bool
	asks    []dra.DeviceClaim
	never   dra.DeviceClaim // a request that no device satisfies
}

// newFleet returns one of three fleets: plain devices, pairs of devices of one NUMA node, or partitions as in MIG.
func newFleet(kind, driver string, devices int) (fleet, error) {
	one := fleet{driver: driver, devices: devices}
	select96Gi := dra.DeviceSelector{CEL: &dra.CELDeviceSelector{
		Expression: fmt.Sprintf(`device.capacity["%s"].memory.compareTo(quantity("96Gi")) >= 0`, driver)}}
	exact := func(count int64, selectors ...dra.DeviceSelector) []dra.DeviceRequest {
		return []dra.DeviceRequest{{Name: "gpu", Exactly: &dra.ExactDeviceRequest{DeviceClassName: driver, AllocationMode: dra.DeviceAllocationModeExactCount, Count: count, Selectors: selectors}}}
	}
	one.never = dra.DeviceClaim{Requests: exact(1, select96Gi)}
	switch kind {
	case "plain":
		one.asks = []dra.DeviceClaim{{Requests: exact(1)}}
	case "pairs":
		numa := dra.FullyQualifiedName(driver + "/numa")
		one.asks = []dra.DeviceClaim{{Requests: exact(2), Constraints: []dra.DeviceConstraint{{MatchAttribute: &numa}}}}
	case "partitions":
		one.isSplit = true
		for _, profile := range []string{"1g", "1g", "2g", "1g", "3g", "1g", "2g", "1g", "2g", "1g"} {
			expression := fmt.Sprintf(`device.attributes["%s"].profile == "%s"`, driver, profile)
			one.asks = append(one.asks, dra.DeviceClaim{Requests: exact(1, dra.DeviceSelector{CEL: &dra.CELDeviceSelector{Expression: expression}})})
		}
	default:
		return one, fmt.Errorf("--kind %s: must be plain, pairs or partitions", kind)
	}
	return one, nil
}

// install creates the objects that do not exist.
func (f fleet) install(ctx context.Context, api kubernetes.Interface, namespace string, labels map[string]string, room shape, nodes int) error {
	_, err := api.CoreV1().Namespaces().Create(ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace, Labels: labels}}, meta.CreateOptions{})
	if err = unlessThere(err); err != nil {
		return err
	}
	expression := fmt.Sprintf("device.driver == %q", f.driver)
	_, err = api.ResourceV1().DeviceClasses().Create(ctx, &dra.DeviceClass{ObjectMeta: meta.ObjectMeta{Name: f.driver},
		Spec: dra.DeviceClassSpec{Selectors: []dra.DeviceSelector{{CEL: &dra.CELDeviceSelector{Expression: expression}}}}}, meta.CreateOptions{})
	if err = unlessThere(err); err != nil {
		return err
	}
	templates := map[string]dra.DeviceClaim{unfit: f.never}
	for i, ask := range f.asks {
		templates[f.template(i)] = ask
	}
	for name, ask := range templates {
		_, err = api.ResourceV1().ResourceClaimTemplates(namespace).Create(ctx, &dra.ResourceClaimTemplate{ObjectMeta: meta.ObjectMeta{Name: name},
			Spec: dra.ResourceClaimTemplateSpec{Spec: dra.ResourceClaimSpec{Devices: ask}}}, meta.CreateOptions{})
		if err = unlessThere(err); err != nil {
			return err
		}
	}
	if err := makeNodes(ctx, api, room, 0, nodes); err != nil {
		return err
	}
	return inParallel(nodes, func(i int) error {
		for _, slice := range f.slices(room.node(i).Name) {
			_, err := api.ResourceV1().ResourceSlices().Create(ctx, slice, meta.CreateOptions{})
			if err = unlessThere(err); err != nil {
				return err
			}
		}
		return nil
	})
}

func unlessThere(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func (f fleet) template(ask int) string { return fmt.Sprintf("ask-%d", ask%len(f.asks)) }

func (f fleet) slices(node string) []*dra.ResourceSlice {
	devices, counters := []dra.Device{}, []dra.CounterSet{}
	for i := range f.devices {
		if f.isSplit {
			counters = append(counters, f.counters(i))
			devices = append(devices, f.partitions(i)...)
		} else {
			devices = append(devices, f.device(fmt.Sprintf("gpu-%d", i), i, "whole"))
		}
	}
	made := []*dra.ResourceSlice{f.slice(node, "devices", dra.ResourceSliceSpec{Devices: devices})}
	if f.isSplit {
		made = append(made, f.slice(node, "counters", dra.ResourceSliceSpec{SharedCounters: counters}))
	}
	for _, each := range made {
		each.Spec.Pool.ResourceSliceCount = int64(len(made))
	}
	return made
}

func (f fleet) slice(node, what string, spec dra.ResourceSliceSpec) *dra.ResourceSlice {
	spec.Driver, spec.NodeName, spec.Pool = f.driver, &node, dra.ResourcePool{Name: node, Generation: 1}
	return &dra.ResourceSlice{ObjectMeta: meta.ObjectMeta{Name: node + "-" + f.driver + "-" + what}, Spec: spec}
}

func (f fleet) device(name string, number int, profile string) dra.Device {
	numa, model, family := int64(number%2), "H100", "hopper"
	return dra.Device{Name: name,
		Attributes: map[dra.QualifiedName]dra.DeviceAttribute{"numa": {IntValue: &numa}, "model": {StringValue: &model}, "family": {StringValue: &family}, "profile": {StringValue: &profile}},
		Capacity:   map[dra.QualifiedName]dra.DeviceCapacity{"memory": {Value: resource.MustParse("80Gi")}}}
}

const (
	memorySlices = 8
	processors   = "multiprocessors"
)

// The profiles of a device as in MIG: number of processors, memory slices, and their possible positions.
var profiles = []struct {
	name       string
	processors int64
	memory     int
	begins     []int
}{
	{"1g", 1, 1, []int{0, 1, 2, 3, 4, 5, 6}},
	{"2g", 2, 2, []int{0, 2, 4}},
	{"3g", 3, 4, []int{0, 4}},
	{"4g", 4, 4, []int{0}},
	{"7g", 7, 8, []int{0}},
}

func (f fleet) counters(number int) dra.CounterSet {
	made := map[string]dra.Counter{processors: {Value: *resource.NewQuantity(7, resource.DecimalSI)}}
	for i := range memorySlices {
		made[fmt.Sprintf("memory-%d", i)] = dra.Counter{Value: *resource.NewQuantity(1, resource.DecimalSI)}
	}
	return dra.CounterSet{Name: fmt.Sprintf("gpu-%d", number), Counters: made}
}

func (f fleet) partitions(number int) []dra.Device {
	made := []dra.Device{}
	for _, each := range profiles {
		for _, begin := range each.begins {
			one := f.device(fmt.Sprintf("gpu-%d-%s-%d", number, each.name, begin), number, each.name)
			used := map[string]dra.Counter{processors: {Value: *resource.NewQuantity(each.processors, resource.DecimalSI)}}
			for i := begin; i < begin+each.memory; i++ {
				used[fmt.Sprintf("memory-%d", i)] = dra.Counter{Value: *resource.NewQuantity(1, resource.DecimalSI)}
			}
			one.ConsumesCounters = []dra.DeviceCounterConsumption{{CounterSet: fmt.Sprintf("gpu-%d", number), Counters: used}}
			made = append(made, one)
		}
	}
	return made
}

func (f fleet) pod(number int) *core.Pod {
	return podOf(fmt.Sprintf("pod-%05d", number), f.template(number))
}

// Name of the template of the pods that fit nowhere, and prefix of their names.
const unfit = "unfit"

func (f fleet) unfitPod(number int) *core.Pod {
	made := podOf(fmt.Sprintf("%s-%05d", unfit, number), unfit)
	made.Labels = map[string]string{unfit: "true"}
	return made
}

func podOf(name, template string) *core.Pod {
	return &core.Pod{ObjectMeta: meta.ObjectMeta{Name: name}, Spec: core.PodSpec{
		Containers: []core.Container{{Name: "main", Image: "none", Resources: core.ResourceRequirements{
			Requests: core.ResourceList{core.ResourceCPU: resource.MustParse("100m"), core.ResourceMemory: resource.MustParse("64Mi")},
			Claims:   []core.ResourceClaim{{Name: "gpu"}}}}},
		ResourceClaims: []core.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: &template}}}}
}
