given  class gpu
given  node-1 with 2 gpu
when   claim a wants 1 gpu                                  then  gets node-1/gpu-0
when   node-1 publishes gpu-1                               then  claim a is revoked
when   the writer has carried out what claim a gets         then  node-1/gpu-0 is held by a    and  the same answer
                                                            and   an alarm begins: node-1/gpu-0 is lost
when   claim a is confirmed                                 then  node-1/gpu-0 is held by a    and  no alarm
when   the cluster refuses what claim a gets                then  node-1/gpu-0 is held by a    and  nothing is said
when   claim a is cleared                                   then  claim a gets node-1/gpu-1    and  an alarm ends: node-1/gpu-0 is lost
