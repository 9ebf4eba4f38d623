# Two watchers speak as one source, each after a list of its own. The earlier one goes on telling what changes.
given  everything must be listed
given  class gpu
given  node-1 with 2 gpu
given  everything is listed
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   nobody notices that claim a is deleted
and    everything is listed                                                   then  claim a is nobody's business    and  node-1/gpu-0 is free
when   word comes late of claim a as it was first                             then  claim a is nobody's business    and  that is stale and counts for nothing
when   the earlier watcher tells that claim c wants 1 gpu                     then  claim c gets node-1/gpu-0
when   claim c is asked for again                                             then  nothing is said                 and  that is only repeated
when   the earlier watcher tells that ResourceClaim is listed                 then  nothing is said                 and  that is stale and counts for nothing
                                                                              and   node-1/gpu-0 is held by c       and  node-1/gpu-1 is held by b
when   the earlier watcher tells that ResourceClaim is known to be old        then  nothing is said                 and  that is stale and counts for nothing
when   the earlier watcher tells that claim b is deleted                      then  node-1/gpu-1 is free
when   claim d wants 1 gpu                                                    then  claim d gets node-1/gpu-1
when   ResourceClaim is listed                                                then  the same answer                 and  that is only repeated
