given  class gpu
given  node-1 with 2 gpu
given  claim a wants 1 gpu
when   node-1 publishes 1 gpu
and    claim b wants 1 gpu                             then  waits: gpu-0 is held by default/a
when   word comes late of what node-1 published first  then  nothing is said    and  claim b waits    and  that is stale and counts for nothing
when   claim a is deleted                              then  claim b gets node-1/gpu-0
when   word comes late of claim a as it was first      then  nothing is said    and  claim a is nobody's business    and  node-1/gpu-0 is held by b    and  that is stale and counts for nothing
