//go:build kubernetes136

package main

import (
	resourceapi "k8s.io/api/resource/v1"
	resourcebeta "k8s.io/api/resource/v1beta2"
	"k8s.io/dynamic-resource-allocation/structured"
)

// defaultsOn are the gates of dynamic resource allocation that are on by default in Kubernetes 1.36.
var defaultsOn = gates{
	"DRAAdminAccess":               true,
	"DRAConsumableCapacity":        true,
	"DRADeviceBindingConditions":   true,
	"DRADeviceTaints":              true,
	"DRAPartitionableDevices":      true,
	"DRAPrioritizedList":           true,
	"DRAResourceClaimDeviceStatus": true,
}

// allocator returns the features of 1.36. The scheduler omits ListTypeAttributes, which the allocator supports.
func (g gates) allocator() structured.Features {
	return structured.Features{
		AdminAccess:            g.on("DRAAdminAccess"),
		ConsumableCapacity:     g.on("DRAConsumableCapacity"),
		DeviceBindingAndStatus: g.on("DRADeviceBindingConditions") && g.on("DRAResourceClaimDeviceStatus"),
		DeviceTaints:           g.on("DRADeviceTaints"),
		ListTypeAttributes:     g.on("DRAListTypeAttributes"),
		PartitionableDevices:   g.on("DRAPartitionableDevices"),
		PrioritizedList:        g.on("DRAPrioritizedList"),
	}
}

// The version of taint rules before v1.
type taintRule = resourcebeta.DeviceTaintRule

func taintOf(rule *taintRule) resourceapi.DeviceTaint {
	taint := rule.Spec.Taint
	return resourceapi.DeviceTaint{
		Key:       taint.Key,
		Value:     taint.Value,
		Effect:    resourceapi.DeviceTaintEffect(taint.Effect),
		TimeAdded: taint.TimeAdded,
	}
}

// enhanced returns the error: the scheduler of 1.36 adds no hint.
func enhanced(err error) error {
	return err
}

// consumersLine returns an error: pod groups have another API version in 1.36.
func consumersLine([]byte) any {
	return map[string]string{"error": "1.36 is not asked for consumers"}
}
