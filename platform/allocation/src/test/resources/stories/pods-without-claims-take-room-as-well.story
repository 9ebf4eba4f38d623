given  class gpu
given  node-1 with 1 gpu
given  node-1 has room for 4 cpu and 8 memory and 3 pods
given  claim a wants 1 gpu
when   pod web taking 3 cpu runs on node-1
and    pod trainer taking 2 cpu and 8 memory uses claim a    then  pod trainer waits: NodeFull
when   pod web finishes                                      then  pod trainer can run on node-1
when   pod late taking 1 memory runs on node-1               then  pod trainer can run on node-1
