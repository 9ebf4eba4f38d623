given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is pending: NoConsumer

when   source other upserts claim unmanaged that requests 1 gpu
then   node-1/gpu-0 is allocated to claim unmanaged

when   pod p uses claim unmanaged
then   node-1/gpu-0 is allocated to claim unmanaged

when   pod p is deleted
then   node-1/gpu-0 is allocated to claim unmanaged
and    claim a is pending: NoConsumer
