given  class gpu
given  node-1 with 1 gpu
given  node-1 has room for 4 cpu and 10 pods
given  pod low taking 4 cpu runs on node-1
when   gated pod high with priority 9 taking 2 cpu uses claim a
and    claim a wants 1 gpu                                          then  pod high waits: NodeFull
when   kube-scheduler makes room                                    then  pod high can run on node-1
