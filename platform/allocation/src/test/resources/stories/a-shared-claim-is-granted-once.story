given  class gpu
given  node-1 with 1 gpu
given  claim shared wants 1 gpu
when   pod a uses claim shared    then  pod a can run on node-1    and  claim shared is for a
when   pod b uses claim shared    then  pod b can run on node-1    and  claim shared is for a b
                                  and   node-1/gpu-0 is held by shared
when   pod a finishes
and    pod c uses claim shared    then  claim shared is for b c
