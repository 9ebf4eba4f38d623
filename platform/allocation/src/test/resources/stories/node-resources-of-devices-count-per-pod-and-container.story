given  feature gate DRANodeAllocatableResources is enabled
given  class gpu exists
given  node-1 joins with gpu-0 ^memory+100/10, gpu-1
given  node-1 has 250 memory and 10 pods allocatable
when   pod one uses claim a in 2 containers
and    claim a requests 1 gpu
then   pod one is schedulable on node-1

when   pod two uses claim a in 3 containers
then   pod two is schedulable on node-1

when   pod three requesting 1 memory uses claim b
and    claim b requests 1 gpu
then   pod three is pending: NodeFull

when   pod two succeeds
then   pod three is schedulable on node-1
