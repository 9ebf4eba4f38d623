given  claims wait for consumers
given  groups may share claims
given  class gpu
given  node-1 with 1 gpu
given  template t wants 1 gpu
when   group trainers shares template t
and    the claims of group trainers are made             then  claim trainers-use-0 has nothing
when   pod a of group trainers uses template t
and    pod a has the claims of group trainers            then  pod a can run on node-1    and  claim trainers-use-0 is for trainers
when   pod a is deleted                                  then  claim trainers-use-0 gets node-1/gpu-0
when   group trainers is deleted                         then  claim trainers-use-0 is revoked
