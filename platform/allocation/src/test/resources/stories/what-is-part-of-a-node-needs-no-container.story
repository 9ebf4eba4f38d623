given  devices take of their nodes
given  class cpu
given  node-1 with cpu-0 ^cpu=8
given  node-1 has room for 64 cpu and 10 pods
when   pod one uses claim a
and    claim a wants 1 cpu                      then  pod one waits: NotAccountable
when   pod two uses claim b in 1 containers
and    claim b wants 1 cpu                      then  pod two can run on node-1
