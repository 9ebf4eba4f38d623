given  devices take of their nodes
given  class cpu
given  node-1 with cores kind=cpu rows:64 +shared ^cpu=rows*2
given  node-1 has room for 20 cpu and 10 pods
when   pod one uses claim a in 1 containers
and    claim a wants 1 cpu (rows:8)             then  pod one can run on node-1
when   pod two uses claim b in 1 containers
and    claim b wants 1 cpu (rows:3)             then  pod two waits: NodeFull
when   pod three uses claim c in 1 containers
and    claim c wants 1 cpu (rows:2)             then  pod three can run on node-1
