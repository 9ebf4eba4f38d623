given  class gpu exists
given  node-1 joins with 1 gpu
given  claim shared requests 1 gpu
when   pod a uses claim shared
then   pod a is schedulable on node-1
and    claim shared is reserved for a

when   pod b uses claim shared
then   pod b is schedulable on node-1
and    claim shared is reserved for a and b
and    node-1/gpu-0 is allocated to claim shared

when   pod a succeeds
and    pod c uses claim shared
then   claim shared is reserved for b and c
