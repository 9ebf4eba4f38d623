given  class nic is unmanaged
given  class gpu exists
given  node-1 joins with 1 gpu and 1 nic
given  node-2 joins with 1 gpu and 1 nic
given  claim a requests 1 nic
given  claim g requests 1 gpu
given  kube-scheduler allocates node-1/nic-0 to claim a

# Only kube-scheduler deallocates a claim of an unmanaged class.
when   gated pod p that requires node-2 uses claim a
then   pod p is pending: Unmanaged
and    the cell decides claim a as pending: Unmanaged
and    the cell deallocates no claim

when   gated pod q that requires node-2 uses claim a and claim g
then   pod q is pending: NoUsableNode
