given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 3 gpu
given  claim a requests 1 gpu
given  pod user on node-1 uses claim a
given  kube-scheduler allocates node-1/gpu-0 to claim a for pod user
when   gated pod p that requires node-2 uses claim a
then   the cell deallocates no claim
and    pod p is pending: NoUsableNode

# Claim b is reserved for a gated pod.
given  claim b requests 1 gpu
given  gated pod first that requires node-1 uses claim b
given  the API server stores the allocation of claim b
when   gated pod q that requires node-2 uses claim b
then   the cell deallocates no claim
and    pod q is pending: NoUsableNode

# A bound pod uses claim c, which is not reserved for it yet.
given  claim c requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim c
given  pod bound on node-1 uses claim c
when   gated pod r that requires node-2 uses claim c
then   the cell deallocates no claim
and    pod r is pending: NoUsableNode
