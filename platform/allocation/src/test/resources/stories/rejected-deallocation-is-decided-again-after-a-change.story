given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
given  gated pod p that requires node-2 uses claim a
when   the writer rejects the deallocation of claim a for claim versions up to +1
then   the cell deallocates no claim
and    pod p is pending: NoUsableNode

when   claim a changes
then   the cell deallocates no claim

when   pod p gets an annotation
then   the cell deallocates no claim

when   node-3 joins with 1 gpu
then   the cell deallocates no claim

when   pod p gets a label
then   the cell deallocates claim a for pod p

when   the writer rejects the deallocation of claim a
then   the cell deallocates no claim

when   claim a changes
then   the cell deallocates claim a for pod p

# The watch event of the change arrives before the rejection.
when   claim a changes
then   the cell makes no decision

when   the writer rejects the deallocation of claim a for claim versions up to +0
then   the cell deallocates no claim

when   claim a changes
then   the cell deallocates claim a for pod p

# The pod is deleted meanwhile.
when   pod p is deleted
then   node-1/gpu-0 is allocated to claim a

when   the writer rejects the deallocation of claim a
then   no deallocation is in progress
and    node-1/gpu-0 is allocated to claim a
