package main

import (
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

// gates are feature gates by name, as a question sets them; one that it leaves out has the default of Kubernetes 1.37.
type gates map[string]bool

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

func (g gates) on(gate string) bool {
	if isOn, isSet := g[gate]; isSet {
		return isOn
	}
	return defaultsOn[gate]
}

// allocator gives the features as the scheduler's plugin hands them to the allocator.
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

func (g gates) selectors() cel.Features {
	return cel.Features{
		EnableConsumableCapacity: g.on("DRAConsumableCapacity"),
		EnableListTypeAttributes: g.on("DRAListTypeAttributes"),
	}
}
