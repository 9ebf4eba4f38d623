# Annotations of the writer on claim and pod do not count as changes.
# The cleared allocation is no rejection by node-1.
given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
when   gated pod p that requires node-2 uses claim a
then   the cell deallocates claim a for pod p
and    pod p is pending: Reallocating
and    node-1/gpu-0 is allocated to claim a

when   claim a changes
then   the cell makes no decision
and    pod p is pending: Reallocating

when   pod p gets an annotation
then   the cell makes no decision
and    pod p is pending: Reallocating

when   the writer commits the deallocation of claim a
then   the cell makes no decision
and    node-1/gpu-0 is allocated to claim a

when   claim a loses its allocation
then   claim a is allocated: node-2/gpu-0
and    pod p is schedulable on node-2
and    claim a is reserved for p
and    no deallocation is in progress
