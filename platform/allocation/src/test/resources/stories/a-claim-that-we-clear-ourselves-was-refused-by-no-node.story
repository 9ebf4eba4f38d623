given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod a uses claim a                                                                  then  pod a can run on node-1
# what was not kept is cleared, and word of the claim comes before ours
when   claim a is confirmed
and    claim a is cleared                                                                  then  pod a waits: NodeRejected
when   word comes late that the first answer to claim a was refused, up to 0 changes from now    then  pod a waits: Rejected    and  claim a has nothing
when   claim a changes                                                                     then  pod a can run on node-1
# with another node it is given that meanwhile, for the claim as it was cleared: this has an answer of its own
when   node-2 with 1 gpu
and    claim a is confirmed
and    claim a is cleared                                                                  then  pod a can run on node-2
when   word comes late that the first answer to claim a was refused, up to 0 changes from now    then  the same answer    and  pod a can run on node-2
when   the cluster refuses what claim a gets, up to 0 changes from now                     then  pod a waits: Rejected
when   claim a changes                                                                     then  pod a can run on node-1
# a claim that somebody has changed since is tried
when   claim a is confirmed
and    claim a is cleared
and    claim a changes                                                                     then  pod a can run on node-2
when   word comes late that the first answer to claim a was refused                        then  the same answer
