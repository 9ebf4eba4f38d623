given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  what goes by force cools down for 10 seconds
given  claim a wants 1 gpu
when   pod p uses claim a          then  pod p can run on node-1
when   claim a is confirmed
and    pod p is bound to node-1
and    pod p is deleted
and    claim a is cleared          then  node-1/gpu-0 is held by a
when   pod q uses claim a          then  pod q can run on node-2    and  node-1/gpu-0 is held by a    and  no alarm
when   claim a is confirmed
and    pod q is bound to node-2
and    pod q is deleted
and    claim a is deleted          then  node-1/gpu-0 is held by a    and  node-2/gpu-0 is held by a
when   20 seconds pass             then  node-1/gpu-0 is free         and  node-2/gpu-0 is free
