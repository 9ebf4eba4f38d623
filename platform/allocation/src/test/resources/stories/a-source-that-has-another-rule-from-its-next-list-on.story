given  class gpu
given  node-1 with 2 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                               then  claim a gets node-1/gpu-0    and  claim b gets node-1/gpu-1
when   claims wait for consumers
and    ResourceClaim is listed                          then  claim b is revoked    and  claim a gets node-1/gpu-0
when   the cluster refuses what claim b gets            then  claim b waits: NoConsumer    and  node-1/gpu-1 is free
when   the earlier watcher tells that claim b changes   then  claim b waits: NoConsumer
when   claims are allocated at once
and    ResourceClaim is listed                          then  claim b gets node-1/gpu-1
