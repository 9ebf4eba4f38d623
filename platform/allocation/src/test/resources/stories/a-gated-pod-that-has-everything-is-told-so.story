# Whoever takes the gate away hears of decisions alone. Pod b has everything by its group, and pod late by somebody who is gone.
given  groups may share claims
given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
given  claim theirs wants 1 gpu
given  group trainers shares claim shared
when   gated pod a of group trainers uses claim shared     then  pod a can run on node-1
when   gated pod b of group trainers uses claim shared     then  claim shared is said again for pod b    and  claim shared is for trainers
when   pod c of group trainers uses claim shared           then  the same answer
when   pod free uses claim theirs                          then  pod free can run on node-1
when   gated pod late uses claim theirs                    then  claim theirs is for free late
