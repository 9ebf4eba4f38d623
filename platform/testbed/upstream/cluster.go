package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"sigs.k8s.io/json"
)

// A cluster is the objects of a question, with the defaults of an API server.
type cluster struct {
	nodes   map[string]*corev1.Node
	classes classes
	slices  []*resourceapi.ResourceSlice
	claims  map[string]*resourceapi.ResourceClaim
	rules   []*taintRule
}

func clusterOf(objects []rawObject) (*cluster, error) {
	read := &cluster{
		nodes:   map[string]*corev1.Node{},
		classes: classes{},
		claims:  map[string]*resourceapi.ResourceClaim{},
	}
	for i, object := range objects {
		if err := read.add(object); err != nil {
			return nil, fmt.Errorf("object #%d: %w", i, err)
		}
	}
	return read, nil
}

func (c *cluster) add(object rawObject) error {
	var kind metav1.TypeMeta
	if err := json.UnmarshalCaseSensitivePreserveInts(object, &kind); err != nil {
		return err
	}
	switch kind.Kind {
	case "Node":
		var node corev1.Node
		if err := json.UnmarshalCaseSensitivePreserveInts(object, &node); err != nil {
			return err
		}
		c.nodes[node.Name] = &node
	case "DeviceClass":
		var class resourceapi.DeviceClass
		if err := json.UnmarshalCaseSensitivePreserveInts(object, &class); err != nil {
			return err
		}
		c.classes[class.Name] = &class
	case "ResourceSlice":
		var slice resourceapi.ResourceSlice
		if err := json.UnmarshalCaseSensitivePreserveInts(object, &slice); err != nil {
			return err
		}
		c.slices = append(c.slices, &slice)
	case "ResourceClaim":
		var claim resourceapi.ResourceClaim
		if err := json.UnmarshalCaseSensitivePreserveInts(object, &claim); err != nil {
			return err
		}
		setClaimDefaults(&claim)
		c.claims[claim.Namespace+"/"+claim.Name] = &claim
	case "DeviceTaintRule":
		var rule taintRule
		if err := json.UnmarshalCaseSensitivePreserveInts(object, &rule); err != nil {
			return err
		}
		c.rules = append(c.rules, &rule)
	case "Namespace", "Pod":
	default:
		return fmt.Errorf("kind %q is not known", kind.Kind)
	}
	return nil
}

// setClaimDefaults sets the defaults of SetDefaults_ExactDeviceRequest and SetDefaults_DeviceSubRequest in pkg/apis/resource/v1.
func setClaimDefaults(claim *resourceapi.ResourceClaim) {
	if claim.Namespace == "" {
		claim.Namespace = metav1.NamespaceDefault
	}
	for i := range claim.Spec.Devices.Requests {
		request := &claim.Spec.Devices.Requests[i]
		if exactly := request.Exactly; exactly != nil {
			setModeDefaults(&exactly.AllocationMode, &exactly.Count)
			setTolerationDefaults(exactly.Tolerations)
		}
		for j := range request.FirstAvailable {
			alternative := &request.FirstAvailable[j]
			setModeDefaults(&alternative.AllocationMode, &alternative.Count)
			setTolerationDefaults(alternative.Tolerations)
		}
	}
}

func setModeDefaults(mode *resourceapi.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourceapi.DeviceAllocationModeExactCount
	}
	if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}

func setTolerationDefaults(tolerations []resourceapi.DeviceToleration) {
	for i := range tolerations {
		if tolerations[i].Operator == "" {
			tolerations[i].Operator = resourceapi.DeviceTolerationOpEqual
		}
	}
}

// allocated returns the allocated state, as the scheduler's plugin collects it from claims with an allocation.
func (c *cluster) allocated(features structured.Features) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range c.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			addAllocated(&state, &result, features)
		}
	}
	return state
}

func addAllocated(
	state *structured.AllocatedState,
	result *resourceapi.DeviceRequestAllocationResult,
	features structured.Features,
) {
	if result.AdminAccess != nil && *result.AdminAccess {
		return
	}
	device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
	if !features.ConsumableCapacity || result.ShareID == nil {
		state.AllocatedDevices.Insert(device)
		return
	}
	state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
	if result.ConsumedCapacity != nil {
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
	}
}

// tainted returns the slices with the taints of the rules, as the slice tracker does. Rules apply in the order of the question.
func (c *cluster) tainted(isOn bool) []*resourceapi.ResourceSlice {
	if !isOn || len(c.rules) == 0 {
		return c.slices
	}
	tainted := make([]*resourceapi.ResourceSlice, len(c.slices))
	for i, slice := range c.slices {
		tainted[i] = slice.DeepCopy()
		for _, rule := range c.rules {
			addTaint(tainted[i], rule)
		}
	}
	return tainted
}

func addTaint(slice *resourceapi.ResourceSlice, rule *taintRule) {
	selector := rule.Spec.DeviceSelector
	if selector == nil || !isAny(selector.Driver, slice.Spec.Driver) || !isAny(selector.Pool, slice.Spec.Pool.Name) {
		return
	}
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		if isAny(selector.Device, device.Name) {
			device.Taints = append(device.Taints, taintOf(rule))
		}
	}
}

func isAny(wanted *string, name string) bool {
	return wanted == nil || *wanted == name
}

// classes is the lister of classes for the allocator.
type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) {
	all := make([]*resourceapi.DeviceClass, 0, len(c))
	for _, class := range c {
		all = append(all, class)
	}
	return all, nil
}

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class, isKnown := c[name]; isKnown {
		return class, nil
	}
	return nil, fmt.Errorf("deviceclass.resource.k8s.io %q not found", name)
}
