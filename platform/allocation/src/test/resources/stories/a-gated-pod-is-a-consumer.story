given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   gated pod p uses claim a    then  pod p can run on node-1
