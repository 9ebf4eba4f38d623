given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   gated pod p uses claim a
then   pod p is schedulable on node-1
