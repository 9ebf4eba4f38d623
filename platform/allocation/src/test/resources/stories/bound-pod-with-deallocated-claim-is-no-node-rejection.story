given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod a uses claim a
then   pod a is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod a is bound to node-1
and    claim a loses its allocation
then   pod a is schedulable on node-1
