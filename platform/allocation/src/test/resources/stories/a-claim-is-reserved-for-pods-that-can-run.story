# Pod b lacks a claim of its own, so it is not among those who may use the shared one.
given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
when   pod a uses claim shared                  then  pod a can run on node-1
when   pod b uses claim shared and claim own    then  pod b waits: claim default/own does not exist    and  claim shared is for a
when   claim own wants 1 gpu                    then  pod b can run on node-1    and  claim shared is for a b
