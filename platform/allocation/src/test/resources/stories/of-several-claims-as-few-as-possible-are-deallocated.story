given  class gpu
given  node-1 with 1 gpu
given  node-2 with 2 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
given  somebody else gives node-2/gpu-0 to claim b
when   gated pod p uses claim a and claim b                then  claim a is deallocated for pod p
when   claim a is cleared                                  then  pod p can run on node-2    and  claim a gets node-2/gpu-1
