given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 2 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
given  kube-scheduler allocates node-2/gpu-0 to claim b
when   gated pod p uses claim a and claim b
then   the cell deallocates claim a for pod p

when   claim a loses its allocation
then   pod p is schedulable on node-2
and    claim a is allocated: node-2/gpu-1
