# The second pod becomes schedulable with the new allocation of the claim.
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim shared requests 1 gpu
when   pod a uses claim shared
then   claim shared is allocated: node-1/gpu-0

when   node-1 publishes gpu-1
then   the cell revokes claim shared

when   pod b uses claim shared
then   pod b is pending: a device of claim default/shared is not published any more: the allocation is revoked before the claim is allocated again

when   the API server rejects the allocation of claim shared
then   claim shared is allocated: node-1/gpu-1
and    pod b is schedulable on node-1
