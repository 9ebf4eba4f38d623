given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is pending: NoConsumer

when   source other upserts claim other that requests 1 gpu
then   node-1/gpu-0 is allocated to claim other

when   pod p uses claim other
then   node-1/gpu-0 is allocated to claim other

when   pod p is deleted
then   node-1/gpu-0 is allocated to claim other
and    claim a is pending: NoConsumer
