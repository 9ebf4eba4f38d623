given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   pod p is deleted
then   the cell revokes claim a

when   pod q uses claim a
then   pod q is pending: Revoking

when   the API server rejects the allocation of claim a
then   pod q is schedulable on node-1
and    claim a is reserved for q
