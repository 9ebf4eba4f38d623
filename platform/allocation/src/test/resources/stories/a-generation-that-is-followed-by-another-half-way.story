# Nothing new is given from a pool that is half-way, and nothing is taken back: what counts is the first generation that is whole.
given  class gpu
given  node-1 with 2 gpu
given  claim a wants 1 gpu
when   node-1 publishes gpu-7, first of 2 slices          then  nothing is said    and  no alarm    and  node-1/gpu-0 is held by a
when   claim b wants 1 gpu                                then  waits: slices of its pool are missing
when   node-1 publishes gpu-0, first of 2 slices          then  claim b waits      and  node-1/gpu-0 is held by a
when   node-1 publishes gpu-2, slice b of 2               then  claim b gets node-1/gpu-2    and  node-1/gpu-0 is held by a
when   word comes late of what node-1 published first     then  nothing is said    and  that is stale and counts for nothing
when   node-1 publishes gpu-2, first of 2 slices          then  nothing is said    and  node-1/gpu-0 is held by a
when   node-1 publishes gpu-3, slice b of 2               then  claim a is revoked
