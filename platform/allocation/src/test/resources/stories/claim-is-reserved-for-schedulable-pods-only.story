# Pod b lacks its own claim, so the shared claim is not reserved for it.
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim shared requests 1 gpu
when   pod a uses claim shared
then   pod a is schedulable on node-1

when   pod b uses claim shared and claim own
then   pod b is pending: claim default/own does not exist
and    claim shared is reserved for a

when   claim own requests 1 gpu
then   pod b is schedulable on node-1
and    claim shared is reserved for a and b
