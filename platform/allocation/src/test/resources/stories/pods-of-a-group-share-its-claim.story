given  groups may share claims
given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
given  claim own wants 1 gpu
when   pod a of group trainers uses claim shared             then  pod a waits: pod group default/trainers does not exist
when   group trainers shares claim shared                    then  pod a can run on node-1    and  claim shared is for trainers
when   pod b of group trainers uses claim shared and claim own    then  pod b can run on node-1    and  claim shared is for trainers    and  claim own is for b
when   pod stranger uses claim shared                        then  pod stranger can run on node-1    and  claim shared is for trainers and stranger
