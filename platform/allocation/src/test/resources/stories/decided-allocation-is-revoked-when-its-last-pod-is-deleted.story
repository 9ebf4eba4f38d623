# The writer may have committed the allocation already.
# The devices are free after the writer reports that it did not.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   pod q uses claim a
then   pod q is schedulable on node-1

when   pod r uses claim b
then   pod r is pending: DevicesInUse

when   pod p is deleted
then   the cell emits no output
and    claim a is allocated: node-1/gpu-0

when   pod q is deleted
then   the cell revokes claim a
and    node-1/gpu-0 is allocated to claim a
and    claim a is pending: no pod used claim default/a any more: the allocation is revoked

when   pod q is deleted
then   the cell emits no output

when   the API server rejects the allocation of claim a
then   claim a is pending: NoConsumer
and    pod r is schedulable on node-1
