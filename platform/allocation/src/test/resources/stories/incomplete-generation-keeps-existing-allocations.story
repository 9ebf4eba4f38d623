# The cell allocates no device from an incomplete generation, and revokes none.
# The next complete generation counts.
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
when   node-1 publishes gpu-7 in a new generation, slice a of 2
then   the cell emits no output
and    the cell changes no alarm
and    node-1/gpu-0 is allocated to claim a

when   claim b requests 1 gpu
then   claim b is pending: slices of its pool are missing

when   node-1 publishes gpu-0 in a new generation, slice a of 2
then   claim b is pending
and    node-1/gpu-0 is allocated to claim a

when   node-1 publishes gpu-2 in the same generation, slice b of 2
then   claim b is allocated: node-1/gpu-2
and    node-1/gpu-0 is allocated to claim a

when   a stale upsert of the ResourceSlice of node-1 arrives
then   the cell emits no output
and    the cell ignores the observation as stale

when   node-1 publishes gpu-2 in a new generation, slice a of 2
then   the cell emits no output
and    node-1/gpu-0 is allocated to claim a

when   node-1 publishes gpu-3 in the same generation, slice b of 2
then   the cell revokes claim a
