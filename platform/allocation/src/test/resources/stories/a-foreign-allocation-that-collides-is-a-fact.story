# Both holders stay, and nobody gets the device until at most one is left.
given  class gpu
given  node-1 with 1 gpu
given  claim ours wants 1 gpu
when   claim theirs wants 1 gpu                                   then  waits: DevicesInUse
when   somebody else gives node-1/gpu-0 to claim theirs           then  node-1/gpu-0 is held by ours theirs
                                                                  and   claim theirs is nobody's business
                                                                  and   an alarm begins: node-1/gpu-0 is contested
when   claim third wants 1 gpu                                    then  waits: gpu-0 is held by default/ours (used by no pod) and default/theirs (used by no pod)
when   claim theirs is deleted                                    then  node-1/gpu-0 is held by ours    and  claim third waits
                                                                  and   an alarm ends: node-1/gpu-0 is contested
when   claim ours is deleted                                      then  claim third gets node-1/gpu-0
