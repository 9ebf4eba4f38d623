given  class gpu exists
given  the cell requires the sync of every kind
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  sync of every kind completes
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   node-1 deletes its ResourceSlice
then   the cell revokes claim a
and    node-1/gpu-0 is allocated to claim a
and    the cell changes no alarm

when   the API server rejects the allocation of claim a
then   claim a is allocated: node-2/gpu-0
and    node-1/gpu-0 is free
