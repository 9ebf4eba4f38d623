given  class gpu
given  node-1 with 2 gpu
given  node-2 with 2 gpu
given  node-1 falls silent
given  node-2 falls silent
given  claim given wants 1 gpu
when   somebody else gives node-2/gpu-0 to claim given    then  claim given is nobody's business    and  node-2/gpu-0 is held by given
given  node-1 is back
given  node-2 is back
when   pod p uses claim given and claim own
and    claim own wants 1 gpu                              then  pod p can run on node-2
                                                          and   claim own gets node-2/gpu-1    and  claim given is for p
