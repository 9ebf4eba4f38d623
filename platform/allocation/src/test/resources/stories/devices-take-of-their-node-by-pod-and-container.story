given  devices take of their nodes
given  class gpu
given  node-1 with gpu-0 ^memory+100/10, gpu-1
given  node-1 has room for 250 memory and 10 pods
when   pod one uses claim a in 2 containers
and    claim a wants 1 gpu                      then  pod one can run on node-1
when   pod two uses claim a in 3 containers     then  pod two can run on node-1
when   pod three taking 1 memory uses claim b
and    claim b wants 1 gpu                      then  pod three waits: NodeFull
when   pod two finishes                         then  pod three can run on node-1
