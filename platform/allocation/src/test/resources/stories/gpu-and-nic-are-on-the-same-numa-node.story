given  class gpu exists
given  class nic exists
given  node-1 joins with gpu-0 numa=0, gpu-1 numa=1, nic-0 numa=1
when   claim a requests 1 gpu and 1 nic with the same numa
then   claim a is allocated: node-1/gpu-1, node-1/nic-0
and    the message of claim a contains same numa 1

when   claim b requests 1 gpu and 1 nic with the same numa
then   claim b is pending: 1 gpu + 1 nic in use
