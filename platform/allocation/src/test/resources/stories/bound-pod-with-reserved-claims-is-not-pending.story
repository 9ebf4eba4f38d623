# As after a restart, every claim is allocated and reserved, and the node is not ready.
# The pod that is bound to the node is not pending.
# The pod that is not bound yet cannot go there.
given  class gpu exists
given  node-1 joins with 2 gpu
given  node-1 is not ready
given  pod p on node-1 uses claim a
given  pod q uses claim b
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   kube-scheduler allocates node-1/gpu-0 to claim a for pod p
then   the cell makes no decision

when   kube-scheduler allocates node-1/gpu-1 to claim b for pod q
then   the cell makes no decision
and    pod q is pending: NoUsableNode

when   a probe arrives
then   the probe answer is 1 allocated and 1 pending

when   node-1 is ready
and    a probe arrives
then   the probe answer is 2 allocated and 0 pending
