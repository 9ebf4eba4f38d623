given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod a uses claim a                then  pod a can run on node-1
when   claim a is confirmed
and    pod a is bound to node-1
and    claim a is cleared                then  pod a can run on node-1
