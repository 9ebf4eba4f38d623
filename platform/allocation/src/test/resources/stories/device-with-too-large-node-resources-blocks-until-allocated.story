# The first device needs more node resources than the node has left.
# The cell tries no other device while the first one is free.
# After another claim gets the first device, the pod gets the next one.
given  feature gate DRANodeAllocatableResources is enabled
given  class gpu exists
given  node-1 joins with gpu-0 ^memory+100/0, gpu-1
given  node-1 has 50 memory and 10 pods allocatable
given  node-2 joins with gpu-0 ^memory+100/0, gpu-1
given  node-2 has 50 memory and 10 pods allocatable
when   pod one requesting 1 memory uses claim a
and    claim a requests 1 gpu
then   pod one is pending: NodeFull

when   pod two requesting 1 memory uses claim b
and    claim b requests 1 gpu
then   pod two is pending: NodeFull

when   claim alone requests 1 gpu
then   claim alone is allocated: node-1/gpu-0
and    pod one is schedulable on node-1

given  claim unmanaged requests 2 tpu
when   kube-scheduler allocates node-2/gpu-0 to claim unmanaged
then   pod two is schedulable on node-2
