given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   pod p succeeds
then   the cell revokes claim a
and    claim a is pending: Revoking

when   the API server rejects the allocation of claim a
then   claim a is pending: no pod uses claim default/a any more, all that name it have finished
and    node-1/gpu-0 is free

when   pod q uses claim a
then   pod q is schedulable on node-1
