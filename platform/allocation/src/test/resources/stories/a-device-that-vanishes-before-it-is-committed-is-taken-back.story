# It is not free before the writer says that the claim does not have it.
given  class gpu
given  node-1 with 2 gpu
when   claim a wants 1 gpu                            then  gets node-1/gpu-0
when   node-1 publishes gpu-1                         then  claim a is revoked    and  node-1/gpu-0 is held by a    and  no alarm
when   node-1 publishes gpu-1                         then  the same answer
when   the cluster refuses what claim a gets          then  claim a gets node-1/gpu-1    and  node-1/gpu-0 is free
