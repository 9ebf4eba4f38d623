given  devices take of their nodes
given  class cpu
given  node-1 with cpu-0 ^cpu=8
given  node-1 has room for 64 cpu and 10 pods
when   pod one uses claim a in 1 containers
and    claim a wants 1 cpu                      then  pod one can run on node-1
when   pod two uses claim a in 1 containers     then  pod two waits: claim default/a consumes node resources, and pod default/one already uses it
when   pod one finishes                         then  pod two can run on node-1
