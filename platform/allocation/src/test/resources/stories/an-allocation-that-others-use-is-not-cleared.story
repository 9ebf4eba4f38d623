given  class gpu
given  node-1 with 2 gpu
given  node-2 with 3 gpu
given  claim a wants 1 gpu
given  pod user on node-1 uses claim a
given  somebody else gives node-1/gpu-0 to claim a for pod user
when   gated pod p that must run on node-2 uses claim a    then  no claim is deallocated    and  pod p waits: NoUsableNode
# reserved for a pod that waits itself
given  claim b wants 1 gpu
given  gated pod first that must run on node-1 uses claim b
given  claim b is confirmed
when   gated pod q that must run on node-2 uses claim b    then  no claim is deallocated    and  pod q waits: NoUsableNode
# bound, and not reserved for yet
given  claim c wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim c
given  pod bound on node-1 uses claim c
when   gated pod r that must run on node-2 uses claim c    then  no claim is deallocated    and  pod r waits: NoUsableNode
