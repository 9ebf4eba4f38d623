given  devices take of their nodes
given  class cpu
given  node-1 with cpu-0 ^cpu=8, cpu-1 kind=cpu ^cpu=8
given  node-1 has room for 12 cpu and 10 pods
when   pod one taking 1 cpu uses claim a in 1 containers
and    claim a wants 1 cpu                      then  pod one can run on node-1
when   pod two taking 1 cpu uses claim b in 1 containers
and    claim b wants 1 cpu                      then  pod two waits: no node with the devices has room for the pod and for the node resources of its devices, nearest: node-1 has the devices and, with their node resources, too little of cpu (3 of 12 left, 9 requested)
when   pod one finishes                         then  pod two can run on node-1
