# What some of them could have is nobody's until all of them can have it. A pod more than must start together is for itself.
given  class gpu
given  node-1 with 2 gpu
given  node-2 with 1 gpu
given  group train starts 3 together
when   pod other uses claim x
and    claim x wants 1 gpu                          then  pod other can run on node-2
when   pod a of group train uses claim a
and    claim a wants 1 gpu                          then  pod a waits: pod group default/train: 1 of the 3 pods that start together exist
when   pod b of group train uses claim b
and    claim b wants 1 gpu                          then  pod b waits: GangIncomplete
when   pod c of group train uses claim c
and    claim c wants 1 gpu                          then  pod c waits: pod group default/train: 2 of the 3 pods that start together fit; pod default/c does not fit beside them: 1 gpu in use
                                                    and   claim a has nothing
                                                    and   claim b has nothing
when   pod young uses claim y
and    claim y wants 1 gpu                          then  pod young can run on node-1
when   claim x is deleted
and    pod other is deleted                         then  pod a waits: GangIncomplete
when   node-3 with 4 gpu                            then  pod a can run
                                                    and   pod b can run
                                                    and   pod c can run
when   pod d of group train uses claim d
and    claim d wants 4 gpu                          then  pod d waits: DevicesInUse
