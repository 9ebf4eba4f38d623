given  devices take of their nodes
given  class cpu
given  node-1 with cpu-0 ^cpu=4, cpu-1 kind=cpu ^cpu=4
given  node-1 has room for 12 cpu and 10 pods
when   pod one asks for 6 cpu as a whole and uses claim a in 1 containers
and    claim a wants 1 cpu                      then  pod one can run on node-1
when   pod two asks for 3 cpu as a whole and uses claim b in 1 containers
and    claim b wants 1 cpu                      then  pod two waits: on node node-1 devices consume 4 of cpu, but the pod-level request exceeds the container requests by only 3
when   pod three asks for 6 cpu as a whole and uses claim c in 1 containers
and    claim c wants 1 cpu                      then  pod three can run on node-1
