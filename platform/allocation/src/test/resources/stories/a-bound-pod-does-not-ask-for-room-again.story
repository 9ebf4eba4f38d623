given  class gpu
given  node-1 with 1 gpu
given  node-1 has room for 2 cpu and 1 pods
given  claim a wants 1 gpu
when   pod static on node-1 taking 2 cpu uses claim a    then  pod static can run on node-1
when   pod static is bound to node-1                     then  pod static can run on node-1
