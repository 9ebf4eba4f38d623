# The writer committed before it read the revocation.
# The resourceclaim controller of Kubernetes deallocates the claim.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   pod p is deleted
then   the cell revokes claim a

when   the writer commits the allocation of claim a
then   node-1/gpu-0 is allocated to claim a
and    the cell changes no alarm

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   claim a is pending: NoConsumer
and    node-1/gpu-0 is free
