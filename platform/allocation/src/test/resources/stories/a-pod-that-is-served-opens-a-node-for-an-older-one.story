given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
when   pod a of app x, near y by zone, uses claim a
and    claim a wants 1 gpu                                  then  pod a waits: OtherPods
when   pod b of app y uses claim b
and    claim b wants 1 gpu                                  then  pod b can run on node-1  and  pod a can run on node-1
