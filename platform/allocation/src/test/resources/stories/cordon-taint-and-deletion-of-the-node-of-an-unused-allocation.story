given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
given  node-1 is cordoned
when   gated pod p uses claim a                            then  claim a is deallocated for pod p    and  pod p waits: Reallocating
when   claim a is cleared                                  then  pod p can run on node-2
given  node-3 with 1 gpu
given  node-4 with 1 gpu
given  claim b wants 1 gpu
given  somebody else gives node-3/gpu-0 to claim b
given  node-3 is gone
when   gated pod q uses claim b                            then  claim b is deallocated for pod q
# the node that was cordoned is open again, and takes the pod at once
given  node-4 is gone
given  node-1 is open
when   claim b is cleared                                  then  pod q can run on node-1
given  node-5 with 1 gpu
given  node-6 with 1 gpu
given  claim c wants 1 gpu
given  somebody else gives node-5/gpu-0 to claim c
given  node-5 is not ready
when   gated pod r uses claim c                            then  claim c is deallocated for pod r
