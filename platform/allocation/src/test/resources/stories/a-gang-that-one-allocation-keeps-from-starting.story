given  class gpu
given  node-1 with 1 gpu
given  node-2 with 2 gpu
given  group train starts 2 together
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
given  node-1 is cordoned
when   gated pod a of group train uses claim a             then  no claim is deallocated    and  pod a waits: GangIncomplete
given  claim b wants 1 gpu
when   gated pod b of group train uses claim b             then  claim a is deallocated for pod a    and  pod b waits: GangIncomplete
when   claim a is cleared                                  then  pod a can run on node-2    and  pod b can run on node-2
