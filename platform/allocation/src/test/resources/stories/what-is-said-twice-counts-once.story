# Claim b is gone: what was said of it while it stood brings it back as little as what was said of its end.
given  class gpu
given  node-1 with 2 gpu
given  everything is listed
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   claim b is deleted                      then  node-1/gpu-1 is free
when   everything is said once more            then  the same answer
                                               and   no alarm
                                               and   node-1/gpu-0 is held by a
                                               and   node-1/gpu-1 is free
                                               and   claim b is nobody's business
