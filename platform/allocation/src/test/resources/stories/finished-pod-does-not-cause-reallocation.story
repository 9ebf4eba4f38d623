# The resourceclaim controller reserves an allocated claim for a finished pod too.
# It then removes the reservation and deallocates the claim.
# A new allocation would repeat this without end.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p succeeds
and    claim a loses its allocation
then   claim a is no work item

when   pod q uses claim a
then   pod q is schedulable on node-1
and    claim a is reserved for q

when   the API server stores the allocation of claim a
and    pod q is deleted
and    claim a loses its allocation
then   claim a is no work item

when   pod p is deleted
then   claim a is allocated: node-1/gpu-0
