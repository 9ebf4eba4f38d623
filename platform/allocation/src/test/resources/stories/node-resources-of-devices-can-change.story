given  feature gate DRANodeAllocatableResources is enabled
given  class gpu exists
given  node-1 joins with gpu-0 ^memory+100, gpu-1 ^memory+100
given  node-1 has 150 memory and 10 pods allocatable
when   pod one uses claim a
and    claim a requests 1 gpu
then   pod one is schedulable on node-1

when   pod two uses claim b
and    claim b requests 1 gpu
then   pod two is pending: NodeFull

when   node-1 publishes gpu-0 ^memory+50, gpu-1 ^memory+50
then   pod two is schedulable on node-1
