# The claim was given its device before a pod used it; another one can be reached by several nodes, and binds nobody to one.
given  kube-scheduler makes room
given  class gpu
given  class nic
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  pool net for * with 2 nic
given  node-1 has room for 4 cpu and 10 pods
given  node-2 has room for 4 cpu and 10 pods
given  claim a wants 1 gpu
given  pod one taking 4 cpu runs on node-1
given  pod two taking 4 cpu runs on node-2
when   gated pod high with priority 9 taking 2 cpu uses claim a                then  pod high can run on node-1
when   gated pod movable with priority 9 taking 2 cpu uses claim b
and    claim b wants 1 nic                                                     then  pod movable waits: NodeFull
