given  class gpu
given  node-1 with 1 gpu
given  ResourceClaim is listed
given  claim a wants 1 gpu
when   claim b wants 1 gpu                         then  waits: gpu-0 is held by default/a
when   nobody notices that claim a is deleted      then  claim b waits
when   ResourceClaim is listed                     then  claim a is nobody's business    and  claim b gets node-1/gpu-0
