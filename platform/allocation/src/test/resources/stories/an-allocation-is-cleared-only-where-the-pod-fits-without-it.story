given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim other wants 1 gpu
given  pod other on node-2 uses claim other
given  somebody else gives node-2/gpu-0 to claim other for pod other
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
when   gated pod p that must run on node-2 uses claim a    then  no claim is deallocated    and  pod p waits: NoUsableNode
when   node-3 with 1 gpu                                   then  no claim is deallocated
when   pod other finishes
and    claim other is cleared                              then  claim a is deallocated for pod p
