given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
given  gated pod p that must run on node-2 uses claim a
when   the writer does not deallocate claim a, up to 1 changes from now    then  no claim is deallocated    and  pod p waits: NoUsableNode
when   claim a changes                                     then  no claim is deallocated
when   pod p gets an annotation                            then  no claim is deallocated
when   node-3 with 1 gpu                                   then  no claim is deallocated
when   pod p gets a label                                  then  claim a is deallocated for pod p
when   the writer does not deallocate claim a              then  no claim is deallocated
when   claim a changes                                     then  claim a is deallocated for pod p
# word of the change came before that of the rejection
when   claim a changes                                     then  the same answer
when   the writer does not deallocate claim a, up to 0 changes from now    then  no claim is deallocated
when   claim a changes                                     then  claim a is deallocated for pod p
# the pod goes meanwhile
when   pod p is deleted                                    then  node-1/gpu-0 is held by a
when   the writer does not deallocate claim a              then  nothing is being deallocated    and  node-1/gpu-0 is held by a
