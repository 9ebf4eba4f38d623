//go:build kubernetes136

package main

// Every gate of DRA, and the groups that they serve, as of 1.36.
const (
	allGates = "DRAConsumableCapacity=true,DRADeviceBindingConditions=true,DRADeviceTaintRules=true,DRADeviceTaints=true,DRAExtendedResource=true," +
		"DRAListTypeAttributes=true,DRANodeAllocatableResources=true,DRAPartitionableDevices=true,DRAPrioritizedList=true," +
		"DRAResourceClaimDeviceStatus=true,DRAResourcePoolStatus=true,DRAWorkloadResourceClaims=true,GangScheduling=true,GenericWorkload=true"
	allGroups = "resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true,resource.k8s.io/v1alpha3=true,scheduling.k8s.io/v1alpha2=true"
)
