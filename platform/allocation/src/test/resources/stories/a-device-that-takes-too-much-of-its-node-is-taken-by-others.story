# The first device takes more of the node than there is, and no other is tried while it is free. When somebody has it, the next one does.
given  devices take of their nodes
given  class gpu
given  node-1 with gpu-0 ^memory+100/0, gpu-1
given  node-1 has room for 50 memory and 10 pods
given  node-2 with gpu-0 ^memory+100/0, gpu-1
given  node-2 has room for 50 memory and 10 pods
when   pod one taking 1 memory uses claim a
and    claim a wants 1 gpu                              then  pod one waits: NodeFull
when   pod two taking 1 memory uses claim b
and    claim b wants 1 gpu                              then  pod two waits: NodeFull
when   claim alone wants 1 gpu                          then  claim alone gets node-1/gpu-0
                                                        and   pod one can run on node-1
given  claim theirs wants 2 tpu
when   somebody else gives node-2/gpu-0 to claim theirs  then  pod two can run on node-2
