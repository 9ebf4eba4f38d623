# A driver that leaves takes its slices with it, and so does a node; what was held of them is held until its claim goes.
given  class gpu
given  everything must be listed
given  node-1 with 2 gpu
given  everything is listed
given  claim a wants 2 gpu
given  claim a is confirmed
when   node-1 withdraws its devices     then  node-1/gpu-0 is held by a    and  the same answer
                                        and   an alarm begins: node-1/gpu-0 is lost
                                        and   an alarm begins: node-1/gpu-1 is lost
when   ResourceSlice is known to be old
and    everything is listed             then  no alarm
when   node-1 publishes 1 gpu           then  node-1/gpu-0 is held by a    and  an alarm ends: node-1/gpu-0 is lost
when   node-1 withdraws its devices     then  an alarm begins: node-1/gpu-0 is lost
when   claim a is deleted               then  an alarm ends: node-1/gpu-0 is lost
                                        and   an alarm ends: node-1/gpu-1 is lost
