given  class gpu exists
given  node-1 joins with 1 gpu
and    node-1 is in zone a
given  node-2 joins with 2 gpu
and    node-2 is in zone b
given  pod guard of app y runs on node-2
when   pod a of app x, with anti-affinity to y by zone, uses claim a
and    claim a requests 1 gpu
then   pod a is schedulable on node-1

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   pod a is pending: InterPodConstraints

when   pod guard is deleted
then   pod a is schedulable on node-2
