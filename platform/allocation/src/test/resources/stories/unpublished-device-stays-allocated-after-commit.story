given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 2 gpu
given  the API server stores the allocation of claim a
when   node-1 publishes 1 gpu
then   node-1/gpu-1 is allocated to claim a
and    the cell makes no decision
and    the cell raises an alarm: node-1/gpu-1 is lost

when   claim b requests 1 gpu
then   claim b is pending: gpu-0 is allocated to default/a

when   node-1 publishes 1 gpu
then   the cell changes no alarm

when   node-1 publishes 3 gpu
then   claim b is allocated: node-1/gpu-2
and    the cell clears an alarm: node-1/gpu-1 is lost

when   node-1 publishes 1 gpu
then   the cell raises an alarm: node-1/gpu-1 is lost

when   claim a is deleted
then   node-1/gpu-1 is free
and    the cell clears an alarm: node-1/gpu-1 is lost
and    the cell reports a deleted claim
