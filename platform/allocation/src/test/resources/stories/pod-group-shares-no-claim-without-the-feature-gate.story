given  class gpu exists
given  node-1 joins with 2 gpu
given  claim shared requests 1 gpu
given  group trainers shares claim shared
when   pod a of group trainers uses claim shared
then   pod a is schedulable on node-1
and    claim shared is reserved for a

when   pod b of group trainers uses claim shared
then   pod b is schedulable on node-1
and    claim shared is reserved for a and b
