given  class gpu exists
given  class nic is unmanaged
given  node-1 joins with 1 gpu and 1 nic
given  node-2 joins with 1 gpu and 1 nic
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
when   pod p that requires node-2 uses claim a
then   the cell deallocates no claim
and    pod p is pending: NoUsableNode

given  claim n requests 1 nic
given  kube-scheduler allocates node-1/nic-0 to claim n
when   gated pod q that requires node-2 uses claim n
then   the cell deallocates no claim
and    pod q is pending: Unmanaged

# Without kube-scheduler, no other program deallocates the claim.
when   no kube-scheduler runs
then   the cell deallocates claim a for pod p
