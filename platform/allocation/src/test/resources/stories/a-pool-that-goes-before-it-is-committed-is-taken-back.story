given  class gpu
given  everything must be listed
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  everything is listed
when   claim a wants 1 gpu                            then  gets node-1/gpu-0
when   node-1 withdraws its devices                   then  claim a is revoked    and  node-1/gpu-0 is held by a    and  no alarm
when   the cluster refuses what claim a gets          then  claim a gets node-2/gpu-0    and  node-1/gpu-0 is free
