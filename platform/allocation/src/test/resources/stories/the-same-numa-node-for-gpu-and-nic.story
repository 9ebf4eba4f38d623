given  class gpu
given  class nic
given  node-1 with devices gpu-0 numa=0, gpu-1 numa=1, nic-0 numa=1
when   claim a wants 1 gpu and 1 nic with the same numa    then  gets node-1/gpu-1 node-1/nic-0    and  because same numa 1
when   claim b wants 1 gpu and 1 nic with the same numa    then  waits: 1 gpu + 1 nic in use
