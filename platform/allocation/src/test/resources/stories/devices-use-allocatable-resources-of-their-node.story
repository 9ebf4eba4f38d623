given  feature gate DRANodeAllocatableResources is enabled
given  class cpu exists
given  node-1 joins with cpu-0 ^cpu=8, cpu-1 kind=cpu ^cpu=8
given  node-1 has 12 cpu and 10 pods allocatable
when   pod one requesting 1 cpu uses claim a in 1 containers
and    claim a requests 1 cpu
then   pod one is schedulable on node-1

when   pod two requesting 1 cpu uses claim b in 1 containers
and    claim b requests 1 cpu
then   pod two is pending: no node with the devices has room for the pod and for the node resources of its devices, nearest: node-1 has the devices and, with their node resources, too little of cpu (3 of 12 left, 9 requested)

when   pod one succeeds
then   pod two is schedulable on node-1
