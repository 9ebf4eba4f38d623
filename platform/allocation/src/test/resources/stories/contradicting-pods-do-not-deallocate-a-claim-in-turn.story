given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  node-3 joins with 1 gpu
given  claim a requests 1 gpu
given  kube-scheduler allocates node-3/gpu-0 to claim a
given  gated pod first that requires node-1 uses claim a
when   gated pod second that requires node-2 uses claim a
then   the cell deallocates no claim
and    pod second is pending: Reallocating

when   claim a loses its allocation
then   pod first is schedulable on node-1
and    pod second is pending: NoUsableNode
and    the cell deallocates no claim

when   the API server stores the allocation of claim a
then   the cell deallocates no claim

when   claim a changes
then   the cell deallocates no claim

when   pod second gets a label
then   the cell deallocates no claim
