//go:build !kubernetes136

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// defaultsOn are the gates of dynamic resource allocation that are on by default in Kubernetes 1.37.
var defaultsOn = gates{
	"DRAAdminAccess":               true,
	"DRAConsumableCapacity":        true,
	"DRADeviceBindingConditions":   true,
	"DRADeviceTaintRules":          true,
	"DRADeviceTaints":              true,
	"DRAFractionalCapacityRange":   true,
	"DRAPartitionableDevices":      true,
	"DRAPrioritizedList":           true,
	"DRAResourceClaimDeviceStatus": true,
}

// allocator returns the features as the scheduler's plugin passes them to the allocator.
func (g gates) allocator() structured.Features {
	return structured.Features{
		AdminAccess:             g.on("DRAAdminAccess"),
		CompatibilityGroups:     g.on("DRADeviceCompatibilityGroups"),
		ConsumableCapacity:      g.on("DRAConsumableCapacity"),
		DerivedAttributes:       g.on("DRADerivedAttributes"),
		DeviceBindingAndStatus:  g.on("DRADeviceBindingConditions") && g.on("DRAResourceClaimDeviceStatus"),
		DeviceTaints:            g.on("DRADeviceTaints"),
		FractionalCapacityRange: g.on("DRAFractionalCapacityRange"),
		ListTypeAttributes:      g.on("DRAListTypeAttributes"),
		OptionalNodeOperations:  g.on("DRAOptionalNodeOperations"),
		PartitionableDevices:    g.on("DRAPartitionableDevices"),
		PrioritizedList:         g.on("DRAPrioritizedList"),
	}
}

type taintRule = resourceapi.DeviceTaintRule

func taintOf(rule *taintRule) resourceapi.DeviceTaint {
	return rule.Spec.Taint
}

// enhanced adds the hint that the scheduler adds to an error of a selector.
func enhanced(err error) error {
	return cel.EnhanceRuntimeError(err)
}
