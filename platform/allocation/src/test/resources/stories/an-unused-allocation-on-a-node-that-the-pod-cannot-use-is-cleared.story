# The writer's own marks on claim and pod are no change. That the claim is cleared is no rejection by node-1.
given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
when   gated pod p that must run on node-2 uses claim a    then  claim a is deallocated for pod p    and  pod p waits: Reallocating    and  node-1/gpu-0 is held by a
when   claim a changes                                     then  the same answer    and  pod p waits: Reallocating
when   pod p gets an annotation                            then  the same answer    and  pod p waits: Reallocating
when   the writer has deallocated claim a                  then  the same answer    and  node-1/gpu-0 is held by a
when   claim a is cleared                                  then  claim a gets node-2/gpu-0    and  pod p can run on node-2    and  claim a is for p    and  nothing is being deallocated
