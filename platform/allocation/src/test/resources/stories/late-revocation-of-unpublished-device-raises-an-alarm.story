given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   node-1 publishes gpu-1
then   the cell revokes claim a

when   the writer commits the allocation of claim a
then   node-1/gpu-0 is allocated to claim a
and    the cell makes no decision
and    the cell raises an alarm: node-1/gpu-0 is lost

when   the API server stores the allocation of claim a
then   node-1/gpu-0 is allocated to claim a
and    the cell changes no alarm

when   the API server rejects the allocation of claim a
then   node-1/gpu-0 is allocated to claim a
and    the cell emits no output

when   claim a loses its allocation
then   claim a is allocated: node-1/gpu-1
and    the cell clears an alarm: node-1/gpu-0 is lost
