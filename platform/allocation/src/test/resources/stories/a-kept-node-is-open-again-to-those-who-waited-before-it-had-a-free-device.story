given  class gpu
given  at most 1 may overtake
given  node-1 with 2 gpu
given  claim a wants 1 gpu
given  claim large wants 2 gpu
when   claim small-1 wants 1 gpu     then  node-1 is kept for claim large
when   claim small-2 wants 1 gpu     then  claim small-2 waits: DevicesInUse
when   claim small-1 is deleted      then  claim small-2 waits: Earmarked
when   claim large is being deleted  then  claim large waits: Terminating   and  no node is kept
                                      and  claim small-2 gets node-1/gpu-1
