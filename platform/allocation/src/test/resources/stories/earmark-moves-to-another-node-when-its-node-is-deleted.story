given  class gpu exists
given  an item is overtaken at most 1 time
given  node-1 joins with 2 gpu
given  node-2 joins with 2 gpu
given  claim a requests 2 gpu
given  claim b requests 2 gpu
given  claim large requests 2 gpu
when   claim a is deleted
then   claim large is allocated: node-1/gpu-0, node-1/gpu-1

when   claim second requests 2 gpu
then   claim second is pending: DevicesInUse

when   node-3 joins with 1 gpu
and    claim small requests 1 gpu
then   claim small is allocated: node-3/gpu-0
and    node-1 is earmarked for claim second

when   node-1 is deleted
and    node-4 joins with 1 gpu
and    claim small-2 requests 1 gpu
then   claim small-2 is allocated: node-4/gpu-0
and    node-2 is earmarked for claim second

when   claim b is deleted
then   claim second is allocated: node-2/gpu-0, node-2/gpu-1
