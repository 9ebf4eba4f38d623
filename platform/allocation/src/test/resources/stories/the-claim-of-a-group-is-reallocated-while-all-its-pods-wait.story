given  groups may share claims
given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim shared wants 1 gpu
given  group trainers shares claim shared
given  somebody else gives node-1/gpu-0 to claim shared
when   gated pod a of group trainers that must run on node-2 uses claim shared    then  claim shared is deallocated for pod a
when   gated pod b of group trainers that must run on node-2 uses claim shared    then  no claim is deallocated    and  pod b waits: Reallocating
when   claim shared is cleared                             then  pod a can run on node-2    and  pod b can run on node-2    and  claim shared is for trainers
given  claim shared is confirmed
when   gated pod c of group trainers that must run on node-1 uses claim shared    then  no claim is deallocated    and  pod c waits: NoUsableNode
