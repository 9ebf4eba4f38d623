# What was done by a writer that ended before it took the gate away. The pod stays at its gate while the node does not take it.
given  class gpu
given  node-1 with 1 gpu
given  node-1 is not ready
given  claim a wants 1 gpu
given  gated pod p uses claim a
when   somebody else gives node-1/gpu-0 to claim a for pod p    then  the same answer    and  pod p waits: NoUsableNode
when   node-1 is ready                                          then  claim a is said again for pod p
when   somebody asks whether all is decided                     then  answered: 1 granted, 0 waiting
