given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim other requests 1 gpu
given  pod other on node-2 uses claim other
given  kube-scheduler allocates node-2/gpu-0 to claim other for pod other
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
when   gated pod p that requires node-2 uses claim a
then   the cell deallocates no claim
and    pod p is pending: NoUsableNode

when   node-3 joins with 1 gpu
then   the cell deallocates no claim

when   pod other succeeds
and    claim other loses its allocation
then   the cell deallocates claim a for pod p
