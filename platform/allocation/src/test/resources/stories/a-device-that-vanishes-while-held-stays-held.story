given  class gpu
given  node-1 with 2 gpu
given  claim a wants 2 gpu
given  claim a is confirmed
when   node-1 publishes 1 gpu       then  node-1/gpu-1 is held by a        and  the same answer
                                    and   an alarm begins: node-1/gpu-1 is lost
when   claim b wants 1 gpu          then  waits: gpu-0 is held by default/a
when   node-1 publishes 1 gpu       then  no alarm
when   node-1 publishes 3 gpu       then  claim b gets node-1/gpu-2        and  an alarm ends: node-1/gpu-1 is lost
when   node-1 publishes 1 gpu       then  an alarm begins: node-1/gpu-1 is lost
when   claim a is deleted           then  node-1/gpu-1 is free             and  an alarm ends: node-1/gpu-1 is lost
                                    and   the decisions on one claim end
