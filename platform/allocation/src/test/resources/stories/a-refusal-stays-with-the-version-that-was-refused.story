given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod a uses claim a                                               then  pod a can run on node-1
# it was stored, but not as decided, and cleared: two changes, of which nobody has heard yet
when   the cluster refuses what claim a gets, up to 2 changes from now  then  pod a waits: a policy forbids it
when   somebody else gives node-1/gpu-0 to claim a for pod a            then  pod a waits: a policy forbids it
when   claim a is cleared                                               then  pod a waits: a policy forbids it    and  node-1/gpu-0 is free
when   claim a is asked for again                                       then  pod a waits: Rejected
when   claim a changes                                                  then  pod a can run on node-1
# the same, where word of the claim comes first
when   somebody else gives node-1/gpu-0 to claim a for pod a
and    the cluster refuses what claim a gets, up to 1 changes from now  then  pod a waits: a policy forbids it
when   claim a is cleared                                               then  pod a waits: a policy forbids it
when   claim a changes                                                  then  pod a can run on node-1
# a refusal from before a change says nothing of the claim as it is
when   claim a is confirmed
and    claim a is cleared
and    claim a changes
and    30 seconds pass                                                  then  pod a can run on node-1
