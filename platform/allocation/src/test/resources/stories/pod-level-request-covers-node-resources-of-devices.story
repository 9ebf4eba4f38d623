given  feature gate DRANodeAllocatableResources is enabled
given  class cpu exists
given  node-1 joins with cpu-0 ^cpu=4, cpu-1 kind=cpu ^cpu=4
given  node-1 has 12 cpu and 10 pods allocatable
when   pod one requests 6 cpu at pod level and uses claim a in 1 containers
and    claim a requests 1 cpu
then   pod one is schedulable on node-1

when   pod two requests 3 cpu at pod level and uses claim b in 1 containers
and    claim b requests 1 cpu
then   pod two is pending: on node node-1 devices consume 4 of cpu, but the pod-level request exceeds the container requests by only 3

when   pod three requests 6 cpu at pod level and uses claim c in 1 containers
and    claim c requests 1 cpu
then   pod three is schedulable on node-1
