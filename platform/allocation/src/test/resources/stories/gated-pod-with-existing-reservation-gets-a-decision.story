# A previous writer that stopped before it removed the gate has the same effect.
# The pod keeps its gate while the node is not usable.
given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 is not ready
given  claim a requests 1 gpu
given  gated pod p uses claim a
when   kube-scheduler allocates node-1/gpu-0 to claim a for pod p
then   the cell makes no decision
and    pod p is pending: NoUsableNode

when   node-1 is ready
then   the cell repeats the decision on claim a for pod p

when   a probe arrives
then   the probe answer is 1 allocated and 0 pending
