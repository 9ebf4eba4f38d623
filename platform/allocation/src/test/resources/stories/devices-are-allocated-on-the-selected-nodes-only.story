given  class gpu exists
given  node-1 is in zone a
given  node-2 is in zone b
given  node-1 publishes 1 gpu
given  node-2 publishes 2 gpu
given  the cell allocates only on nodes with zone in (a,c)
given  claim existing requests 1 gpu
given  kube-scheduler allocates node-2/gpu-1 to claim existing
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim b requests 1 gpu
then   claim b is pending
and    the message of claim b contains only nodes with zone in (a,c) are considered
and    node-2/gpu-0 is free

when   pod p uses claim existing
then   pod p is schedulable on node-2

when   node-2 is in zone c
then   claim b is allocated: node-2/gpu-0

when   claim d requests 1 gpu
and    the cell allocates on every node
then   claim d is pending
