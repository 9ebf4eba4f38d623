# The device is free only after the writer reports that the claim does not have it.
given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   node-1 publishes gpu-1
then   the cell revokes claim a
and    node-1/gpu-0 is allocated to claim a
and    the cell changes no alarm

when   node-1 publishes gpu-1
then   the cell makes no decision

when   the API server rejects the allocation of claim a
then   claim a is allocated: node-1/gpu-1
and    node-1/gpu-0 is free
