given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  the quarantine lasts 10 seconds
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p is bound to node-1
and    pod p is deleted
and    claim a loses its allocation
then   node-1/gpu-0 is allocated to claim a

when   pod q uses claim a
then   pod q is schedulable on node-2
and    node-1/gpu-0 is allocated to claim a
and    the cell changes no alarm

when   the API server stores the allocation of claim a
and    pod q is bound to node-2
and    pod q is deleted
and    claim a is deleted
then   node-1/gpu-0 is allocated to claim a
and    node-2/gpu-0 is allocated to claim a

when   20 seconds pass
then   node-1/gpu-0 is free
and    node-2/gpu-0 is free
