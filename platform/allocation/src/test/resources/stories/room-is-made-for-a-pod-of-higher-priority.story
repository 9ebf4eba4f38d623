# Of the nodes where somebody has to go, the one where the least important goes. Who is not at our gate cannot be bound to a node, and waits.
given  kube-scheduler makes room
given  class gpu
given  node-1 with 4 gpu
given  node-2 with 4 gpu
given  node-1 has room for 4 cpu and 10 pods
given  node-2 has room for 4 cpu and 10 pods
given  pod some with priority 5 taking 4 cpu runs on node-1
given  pod less with priority 3 taking 4 cpu runs on node-2
when   pod free with priority 9 taking 1 cpu uses claim a
and    claim a wants 1 gpu                                                                  then  pod free waits: no node with the devices has room for the pod
when   gated pod low with priority 3 taking 1 cpu uses claim b
and    claim b wants 1 gpu                                                                  then  pod low waits: NodeFull
when   gated pod patient with priority 9 that never preempts taking 1 cpu uses claim c
and    claim c wants 1 gpu                                                                  then  pod patient waits: NodeFull
when   gated pod high with priority 4 taking 2 cpu uses claim d
and    claim d wants 1 gpu                                                                  then  pod high can run on node-2
when   gated pod higher with priority 9 taking 3 cpu uses claim e
and    claim e wants 1 gpu                                                                  then  pod higher can run on node-2
when   gated pod highest with priority 9 taking 2 cpu uses claim f
and    claim f wants 1 gpu                                                                  then  pod highest can run on node-1
when   pod some is deleted                                                                  then  pod free can run on node-1
                                                                                            and   pod patient can run on node-1
                                                                                            and   pod low waits: NodeFull
