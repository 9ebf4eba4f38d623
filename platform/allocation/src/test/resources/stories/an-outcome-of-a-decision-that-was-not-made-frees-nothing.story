given  class gpu
given  node-1 with 1 gpu
when   claim a wants 1 gpu                                                    then  claim a gets node-1/gpu-0
when   claim a changes                                                        then  claim a is given the same again
when   somebody tells that decision 1 on claim a was refused                  then  nothing is said    and  that is stale and counts for nothing
when   somebody tells that decision 1 on claim a was carried out              then  nothing is said    and  that is only repeated
when   somebody tells that decision 0 on claim a was refused                  then  nothing is said    and  that is unknown-decision and counts for nothing
when   somebody tells that decision 3 on claim a was refused                  then  nothing is said    and  that is unknown-decision and counts for nothing
when   somebody tells that decision 3 on claim a was carried out              then  nothing is said    and  that is unknown-decision and counts for nothing
                                                                              and   node-1/gpu-0 is held by a
when   somebody tells that decision 2 on claim a was refused                  then  claim a waits: Rejected    and  node-1/gpu-0 is free
