given  class gpu exists
given  an item is overtaken at most 1 time
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
given  claim large requests 2 gpu
when   claim small-1 requests 1 gpu
then   node-1 is earmarked for claim large

when   claim small-2 requests 1 gpu
then   claim small-2 is pending: DevicesInUse

when   claim small-1 is deleted
then   claim small-2 is pending: Earmarked

when   claim large is terminating
then   claim large is pending: Terminating
and    no node is earmarked
and    claim small-2 is allocated: node-1/gpu-1
