given  class gpu exists
given  class nic exists
given  node-1 joins with 4 gpu
given  node-2 joins with 1 gpu and 1 nic
given  claim cpu-free requests 1 gpu
given  claim net requests 1 nic
when   pod p uses claim cpu-free and claim net
then   pod p is schedulable on node-2
