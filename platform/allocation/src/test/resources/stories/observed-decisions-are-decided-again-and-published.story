given  class gpu exists
given  node-1 joins with 2 gpu
given  the cell only observes
given  claim a requests 1 gpu
given  claim b requests 1 gpu
given  kube-scheduler allocates node-1/gpu-1 to claim b
when   the cell allocates again
then   claim a is allocated: node-1/gpu-0
and    node-1/gpu-1 is allocated to claim b
and    the cell compares claim a: both-pending
