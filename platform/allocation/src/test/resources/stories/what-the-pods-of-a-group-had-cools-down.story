given  groups may share claims
given  class gpu
given  node-1 with 2 gpu
given  what goes by force cools down for 10 seconds
given  claim shared wants 1 gpu
when   group trainers shares claim shared
and    pod a of group trainers uses claim shared    then  pod a can run on node-1    and  claim shared is for trainers
when   claim shared is confirmed
and    pod a is bound to node-1
and    pod a is deleted
and    claim shared is deleted                      then  node-1/gpu-0 is held by shared
when   10 seconds pass                              then  node-1/gpu-0 is free
