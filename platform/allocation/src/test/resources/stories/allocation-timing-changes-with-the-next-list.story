given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   claim a is allocated: node-1/gpu-0
and    claim b is allocated: node-1/gpu-1

when   claims wait for a consumer
and    sync of ResourceClaim completes
then   the cell revokes claim b
and    claim a is allocated: node-1/gpu-0

when   the API server rejects the allocation of claim b
then   claim b is pending: NoConsumer
and    node-1/gpu-1 is free

when   the previous watcher reports that claim b changes
then   claim b is pending: NoConsumer

when   claims are allocated immediately
and    sync of ResourceClaim completes
then   claim b is allocated: node-1/gpu-1
