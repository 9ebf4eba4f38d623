given  class gpu
given  node-1 with 2 gpu
when   pod a of group train uses claim a
and    claim a wants 1 gpu                          then  pod a waits: pod group default/train does not exist
when   group train starts 2 together                then  pod a waits: pod group default/train: 1 of the 2 pods that start together exist
when   pod b of group train uses claim b
and    claim b wants 1 gpu                          then  pod a can run on node-1
                                                    and   pod b can run on node-1
when   pod b is deleted
and    claim b is deleted
and    pod c of group train uses claim c
and    claim c wants 2 gpu                          then  pod c waits: GangIncomplete
                                                    and   pod a can run on node-1
