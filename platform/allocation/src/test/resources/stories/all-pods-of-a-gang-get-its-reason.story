# Once enough pods are there, every one of them waits for devices, also those that came when there were too few.
given  class gpu
given  node-1 with 2 gpu
given  group train starts 3 together
when   pod a of group train uses claim a
and    claim a wants 1 gpu                 then  pod a waits: 1 of the 3 pods that start together exist
when   pod b of group train uses claim b
and    claim b wants 1 gpu                 then  pod b waits: 2 of the 3 pods that start together exist
when   2 seconds pass                      then  pod a waits: 2 of the 3 pods that start together exist
                                           and   1 items are explained
when   pod c of group train uses claim c
and    claim c wants 1 gpu                 then  pod a waits: 2 of the 3 pods that start together fit
                                           and   pod b waits: 2 of the 3 pods that start together fit
                                           and   pod c waits: 2 of the 3 pods that start together fit
when   pod c is deleted
and    2 seconds pass                      then  pod a waits: 2 of the 3 pods that start together exist
                                           and   pod b waits: 2 of the 3 pods that start together exist
                                           and   2 items are explained
