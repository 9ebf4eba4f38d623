given  feature gate DRANodeAllocatableResources is enabled
given  class cpu exists
given  node-1 joins with cpu-0 ^cpu=8
given  node-1 has 12 cpu and 10 pods allocatable
when   pod one requesting 1 cpu uses claim a
and    claim a requests 1 cpu
then   pod one is schedulable on node-1

when   pod two requesting 4 cpu uses claim b in 1 containers
and    node-2 joins with cpu-1 kind=cpu ^cpu=8
and    node-2 has 11 cpu and 10 pods allocatable
and    claim b requests 1 cpu
then   pod two is pending: NodeFull

when   node-2 has 12 cpu and 10 pods allocatable
then   pod two is schedulable on node-2
