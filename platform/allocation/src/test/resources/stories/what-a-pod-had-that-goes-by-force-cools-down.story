# A kubelet ends a pod that is deleted by force some seconds later; until then it has its devices, whatever its claim says.
given  class gpu
given  node-1 with 1 gpu
given  what goes by force cools down for 10 seconds
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a          then  pod p can run on node-1
when   claim a is confirmed
and    pod p is bound to node-1
and    pod p is deleted
and    claim a is deleted          then  node-1/gpu-0 is held by a
when   pod q uses claim b          then  pod q waits
when   5 seconds pass              then  node-1/gpu-0 is held by a
when   5 seconds pass              then  pod q can run on node-1    and  node-1/gpu-0 is held by b
