# The resourceclaim controller of Kubernetes deallocates the claim.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p is deleted
then   node-1/gpu-0 is allocated to claim a
and    claim a is no work item

when   claim a loses its allocation
then   the cell releases claim a
and    claim a is pending: NoConsumer
and    node-1/gpu-0 is free

when   pod q uses claim a
then   pod q is schedulable on node-1

when   the writer commits the allocation of claim a
and    pod q is deleted
then   claim a is allocated: node-1/gpu-0

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   claim a is pending: NoConsumer
and    node-1/gpu-0 is free
