# A node is kept for an old item that others overtake. Whoever joins a claim that has its device takes none from it.
given  class gpu
given  at most 2 may overtake
given  node-1 with 2 gpu
given  claim a wants 1 gpu
when   claim large wants 2 gpu            then  waits: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is held by default/a
when   claim shared wants 1 gpu           then  claim shared gets node-1/gpu-1    and  no node is kept
when   pod one uses claim shared          then  pod one can run on node-1
when   pod two uses claim shared          then  pod two can run on node-1
when   pod three uses claim shared        then  pod three can run on node-1       and  no node is kept
