given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim shared requests 1 gpu
given  group trainers shares claim shared
given  kube-scheduler allocates node-1/gpu-0 to claim shared
when   gated pod a of group trainers that requires node-2 uses claim shared
then   the cell deallocates claim shared for pod a

when   gated pod b of group trainers that requires node-2 uses claim shared
then   the cell deallocates no claim
and    pod b is pending: Reallocating

when   claim shared loses its allocation
then   pod a is schedulable on node-2
and    pod b is schedulable on node-2
and    claim shared is reserved for trainers

given  the API server stores the allocation of claim shared
when   gated pod c of group trainers that requires node-1 uses claim shared
then   the cell deallocates no claim
and    pod c is pending: NoUsableNode
