given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
when   node-1 publishes 1 gpu
and    claim b requests 1 gpu
then   claim b is pending: gpu-0 is allocated to default/a

when   a stale upsert of the ResourceSlice of node-1 arrives
then   the cell emits no output
and    claim b is pending
and    the cell ignores the observation as stale

when   claim a is deleted
then   claim b is allocated: node-1/gpu-0

when   a stale upsert of claim a arrives
then   the cell emits no output
and    claim a is no work item
and    node-1/gpu-0 is allocated to claim b
and    the cell ignores the observation as stale
