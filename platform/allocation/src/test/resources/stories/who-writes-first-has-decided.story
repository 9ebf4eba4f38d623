given  class gpu
given  node-1 with 2 gpu
given  claim a wants 1 gpu
when   somebody else gives node-1/gpu-1 to claim a    then  node-1/gpu-0 is free    and  node-1/gpu-1 is held by a
                                                      and   claim a has nothing
