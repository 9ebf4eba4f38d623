given  devices take of their nodes
given  class gpu
given  node-1 with gpu-0 ^memory+100, gpu-1 ^memory+100
given  node-1 has room for 150 memory and 10 pods
when   pod one uses claim a
and    claim a wants 1 gpu                      then  pod one can run on node-1
when   pod two uses claim b
and    claim b wants 1 gpu                      then  pod two waits: NodeFull
when   node-1 publishes gpu-0 ^memory+50, gpu-1 ^memory+50     then  pod two can run on node-1
