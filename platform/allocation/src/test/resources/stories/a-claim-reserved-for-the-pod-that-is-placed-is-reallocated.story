given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  gated pod p uses claim a
given  claim a is confirmed
given  everything is said once more
when   node-1 is cordoned                                  then  the same answer
# as after a rebuild, or a restart of the writer between its two writes: the pod is looked at anew
given  claim b wants 1 gpu
given  node-2 with 1 gpu
given  gated pod q that must run on node-2 uses claim b
given  claim b is confirmed
given  claim b is cleared
given  node-2 is cordoned
given  somebody else gives node-2/gpu-0 to claim b for pod q
when   somebody asks whether all is decided                then  pod q waits: NoUsableNode    and  no claim is deallocated
