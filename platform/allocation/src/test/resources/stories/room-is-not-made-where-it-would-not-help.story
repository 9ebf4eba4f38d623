# Whoever would have to go holds the device, is as important, or leaves too little.
given  kube-scheduler makes room
given  class gpu
given  node-1 with 1 gpu
given  node-1 has room for 4 cpu and 10 pods
when   pod user taking 3 cpu uses claim a
and    claim a wants 1 gpu                                              then  pod user can run on node-1
when   gated pod urgent with priority 9 taking 2 cpu uses claim b
and    claim b wants 1 gpu                                              then  pod urgent waits: DevicesInUse
given  node-2 with 2 gpu
given  node-2 has room for 4 cpu and 10 pods
given  pod equal with priority 9 taking 2 cpu runs on node-2
given  pod small taking 1 cpu runs on node-2
when   gated pod large with priority 9 taking 3 cpu uses claim c
and    claim c wants 1 gpu                                              then  pod large waits: NodeFull
