given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a                      then  pod p can run on node-1
when   pod p is deleted                        then  claim a is revoked
when   pod q uses claim a                      then  pod q waits: Revoking
when   the cluster refuses what claim a gets   then  pod q can run on node-1    and  claim a is for q
