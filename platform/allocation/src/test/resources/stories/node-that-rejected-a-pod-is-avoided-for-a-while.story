given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim a requests 1 gpu
when   pod a uses claim a
then   pod a is schedulable on node-1

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   the cell releases claim a
and    pod a is schedulable on node-2

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   pod a is pending: only nodes that recently rejected the pod have what it needs

when   20 seconds pass
then   pod a is pending: NodeRejected

when   20 seconds pass
then   pod a is schedulable on node-1
