# The watch event of a pod can arrive after the event of its claim.
given  class gpu exists
given  node-1 joins with 1 gpu
given  the quarantine lasts 10 seconds
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p is bound to node-1
and    claim a is deleted
then   node-1/gpu-0 is allocated to claim a

when   pod p is deleted
then   node-1/gpu-0 is allocated to claim a

when   10 seconds pass
then   node-1/gpu-0 is free
