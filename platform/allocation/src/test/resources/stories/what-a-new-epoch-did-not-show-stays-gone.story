# Nobody heard of the end of claim a but by the list of the next epoch; word of the epoch before is too old by then.
given  class gpu
given  node-1 with 1 gpu
given  ResourceClaim is listed
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   nobody notices that claim a is deleted          then  node-1/gpu-0 is held by a
when   ResourceClaim is listed                         then  claim a is nobody's business    and  claim b gets node-1/gpu-0
when   word comes late of claim a as it was first      then  nothing is said    and  claim a is nobody's business    and  node-1/gpu-0 is held by b    and  that is stale and counts for nothing
when   ResourceClaim is listed                         then  the same answer    and  that is only repeated    and  node-1/gpu-0 is held by b
