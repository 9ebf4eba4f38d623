# Claims and pods are watched apart: the claim may be seen without its allocation while its pod still exists.
given  claims wait for consumers
given  class gpu
given  node-1 with 2 gpu
given  claim a wants 1 gpu
when   pod p on node-1 uses claim a            then  pod p can run on node-1
when   claim a is confirmed
and    claim a is cleared                      then  pod p can run on node-1
when   pod p is deleted                        then  claim a is revoked
when   the cluster refuses what claim a gets   then  claim a waits: NoConsumer    and  node-1/gpu-0 is free    and  node-1/gpu-1 is free
