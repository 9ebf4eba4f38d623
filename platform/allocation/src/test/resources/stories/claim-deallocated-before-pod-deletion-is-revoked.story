# Claims and pods have separate watches.
# The cell can observe the claim without its allocation while the pod still exists.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
when   pod p on node-1 uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   pod p is schedulable on node-1

when   pod p is deleted
then   the cell revokes claim a

when   the API server rejects the allocation of claim a
then   claim a is pending: NoConsumer
and    node-1/gpu-0 is free
and    node-1/gpu-1 is free
