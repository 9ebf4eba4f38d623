given  class gpu
given  class nic
given  node-1 with 4 gpu
given  node-2 with 1 gpu and 1 nic
given  claim cpu-free wants 1 gpu
given  claim net wants 1 nic
when   pod p uses claim cpu-free and claim net    then  pod p can run on node-2
