given  devices take of their nodes
given  class cpu
given  node-1 with cpu-0 ^cpu=8
given  node-1 has room for 12 cpu and 10 pods
when   pod one taking 1 cpu uses claim a
and    claim a wants 1 cpu                      then  pod one can run on node-1
when   pod two taking 4 cpu uses claim b in 1 containers
and    node-2 with cpu-1 kind=cpu ^cpu=8
and    node-2 has room for 11 cpu and 10 pods
and    claim b wants 1 cpu                      then  pod two waits: NodeFull
when   node-2 has room for 12 cpu and 10 pods   then  pod two can run on node-2
