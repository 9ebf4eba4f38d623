given  feature gate DRANodeAllocatableResources is enabled
given  class cpu exists
given  node-1 joins with cores kind=cpu rows:64 +shared ^cpu=rows*2
given  node-1 has 20 cpu and 10 pods allocatable
when   pod one uses claim a in 1 containers
and    claim a requests 1 cpu (rows:8)
then   pod one is schedulable on node-1

when   pod two uses claim b in 1 containers
and    claim b requests 1 cpu (rows:3)
then   pod two is pending: NodeFull

when   pod three uses claim c in 1 containers
and    claim c requests 1 cpu (rows:2)
then   pod three is schedulable on node-1
