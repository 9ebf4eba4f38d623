given  class gpu
given  node-1 with 1 gpu
given  claim first wants 1 gpu
given  claim low-claim wants 1 gpu
given  claim high-claim wants 1 gpu
when   pod low with priority 1 uses claim low-claim      then  pod low waits: DevicesInUse
when   pod high with priority 9 uses claim high-claim    then  pod high waits: DevicesInUse
when   claim first is deleted                            then  claim high-claim gets node-1/gpu-0
                                                         and   pod high can run on node-1
                                                         and   pod low waits
