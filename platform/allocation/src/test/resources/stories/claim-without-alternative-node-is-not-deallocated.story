given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  gated pod p uses claim a
given  the API server stores the allocation of claim a
given  all observations arrive again
when   node-1 is cordoned
then   the cell makes no decision

# The same state follows a rebuild, or a writer restart between its two writes.
# The cell evaluates the pod again.
given  claim b requests 1 gpu
given  node-2 joins with 1 gpu
given  gated pod q that requires node-2 uses claim b
given  the API server stores the allocation of claim b
given  claim b loses its allocation
given  node-2 is cordoned
given  kube-scheduler allocates node-2/gpu-0 to claim b for pod q
when   a probe arrives
then   pod q is pending: NoUsableNode
and    the cell deallocates no claim
