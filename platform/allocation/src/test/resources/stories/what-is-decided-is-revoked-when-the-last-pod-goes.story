# The writer may have written it already: the devices are free when it says that it has not.
given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                      then  pod p can run on node-1
when   pod q uses claim a                      then  pod q can run on node-1
when   pod r uses claim b                      then  pod r waits: DevicesInUse
when   pod p is deleted                        then  nothing is said    and  claim a gets node-1/gpu-0
when   pod q is deleted                        then  claim a is revoked    and  node-1/gpu-0 is held by a
                                               and   claim a waits: no pod used claim default/a any more: the allocation is revoked
when   pod q is deleted                        then  nothing is said
when   the cluster refuses what claim a gets   then  claim a waits: NoConsumer    and  pod r can run on node-1
