given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim a wants 1 gpu
when   pod a uses claim a                then  pod a can run on node-1
when   claim a is confirmed
and    claim a is cleared                then  claim a is released    and  pod a can run on node-2
when   claim a is confirmed
and    claim a is cleared                then  pod a waits: only nodes that recently rejected the pod have what it needs
when   20 seconds pass                   then  pod a waits: NodeRejected
when   20 seconds pass                   then  pod a can run on node-1
