//go:build !kubernetes136

package main

// Every gate of DRA, and the groups that they serve, as of 1.37. Gates that are locked (DRAAdminAccess, DRAExtendedResource, DRAPrioritizedList,
// DRAResourceClaimDeviceStatus) are not set: they are on. GangScheduling and scheduling.k8s.io/v1alpha2 exist only in 1.36.
const (
	allGates = "DRAConsumableCapacity=true,DRADerivedAttributes=true,DRADeviceBindingConditions=true,DRADeviceCompatibilityGroups=true," +
		"DRADeviceTaintRules=true,DRADeviceTaints=true,DRAFractionalCapacityRange=true,DRAListTypeAttributes=true,DRANodeAllocatableResources=true," +
		"DRAOptionalNodeOperations=true,DRAPartitionableDevices=true,DRAPartitionableDevicesType=true,DRAResourcePoolStatus=true," +
		"DRAWorkloadResourceClaims=true,GenericWorkload=true"
	allGroups = "resource.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true,resource.k8s.io/v1alpha3=true,scheduling.k8s.io/v1beta1=true," +
		"scheduling.k8s.io/v1alpha3=true"
)
