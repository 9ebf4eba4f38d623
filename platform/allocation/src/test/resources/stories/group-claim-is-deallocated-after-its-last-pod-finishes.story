given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim shared requests 1 gpu
given  group trainers shares claim shared
when   pod a of group trainers uses claim shared
then   claim shared is reserved for trainers

given  the API server stores the allocation of claim shared
given  pod a is bound to node-1
given  node-1 is cordoned
when   gated pod b of group trainers that requires node-2 uses claim shared
then   the cell deallocates no claim

when   pod a succeeds
then   the cell deallocates claim shared for pod b
