given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a                      then  pod p can run on node-1
when   pod p finishes                          then  claim a is revoked    and  claim a waits: Revoking
when   the cluster refuses what claim a gets   then  claim a waits: no pod uses claim default/a any more, all that name it have finished
                                               and   node-1/gpu-0 is free
when   pod q uses claim a                      then  pod q can run on node-1
