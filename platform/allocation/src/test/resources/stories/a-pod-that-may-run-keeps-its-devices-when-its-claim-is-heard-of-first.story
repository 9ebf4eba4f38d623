# Word of a pod can be later than word of its claim.
given  class gpu
given  node-1 with 1 gpu
given  what goes by force cools down for 10 seconds
given  claim a wants 1 gpu
when   pod p uses claim a          then  pod p can run on node-1
when   claim a is confirmed
and    pod p is bound to node-1
and    claim a is deleted          then  node-1/gpu-0 is held by a
when   pod p is deleted            then  node-1/gpu-0 is held by a
when   10 seconds pass             then  node-1/gpu-0 is free
