given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 2 gpu
given  the quarantine lasts 10 seconds
given  claim shared requests 1 gpu
when   group trainers shares claim shared
and    pod a of group trainers uses claim shared
then   pod a is schedulable on node-1
and    claim shared is reserved for trainers

when   the API server stores the allocation of claim shared
and    pod a is bound to node-1
and    pod a is deleted
and    claim shared is deleted
then   node-1/gpu-0 is allocated to claim shared

when   10 seconds pass
then   node-1/gpu-0 is free
