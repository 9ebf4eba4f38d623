given  class gpu exists
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
when   kube-scheduler allocates node-1/gpu-1 to claim a
then   node-1/gpu-0 is free
and    node-1/gpu-1 is allocated to claim a
and    claim a has no decided allocation
