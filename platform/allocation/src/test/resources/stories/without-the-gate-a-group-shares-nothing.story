given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
given  group trainers shares claim shared
when   pod a of group trainers uses claim shared    then  pod a can run on node-1    and  claim shared is for a
when   pod b of group trainers uses claim shared    then  pod b can run on node-1    and  claim shared is for a and b
