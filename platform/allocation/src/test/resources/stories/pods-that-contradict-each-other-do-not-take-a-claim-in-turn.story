given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  node-3 with 1 gpu
given  claim a wants 1 gpu
given  somebody else gives node-3/gpu-0 to claim a
given  gated pod first that must run on node-1 uses claim a
when   gated pod second that must run on node-2 uses claim a    then  no claim is deallocated    and  pod second waits: Reallocating
when   claim a is cleared                                       then  pod first can run on node-1    and  pod second waits: NoUsableNode    and  no claim is deallocated
when   claim a is confirmed                                     then  no claim is deallocated
when   claim a changes                                          then  no claim is deallocated
when   pod second gets a label                                  then  no claim is deallocated
