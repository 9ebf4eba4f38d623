given  class gpu
given  claim theirs wants 1 gpu
when   somebody else gives node-1/gpu-7 to claim theirs    then  node-1/gpu-7 is held by theirs    and  no alarm
when   node-1 with 1 gpu                                   then  an alarm begins: node-1/gpu-7 is lost
when   claim a wants 1 gpu                                 then  gets node-1/gpu-0
when   node-1 publishes gpu-0, gpu-7                       then  an alarm ends: node-1/gpu-7 is lost
when   claim b wants 1 gpu                                 then  waits: DevicesInUse
