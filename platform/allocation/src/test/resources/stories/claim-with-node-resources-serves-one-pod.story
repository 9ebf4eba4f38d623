given  feature gate DRANodeAllocatableResources is enabled
given  class cpu exists
given  node-1 joins with cpu-0 ^cpu=8
given  node-1 has 64 cpu and 10 pods allocatable
when   pod one uses claim a in 1 containers
and    claim a requests 1 cpu
then   pod one is schedulable on node-1

when   pod two uses claim a in 1 containers
then   pod two is pending: claim default/a consumes node resources, and pod default/one already uses it

when   pod one succeeds
then   pod two is schedulable on node-1
