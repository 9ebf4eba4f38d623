given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim b     then  pod p waits: gpu-0 is held by default/a
when   pod p is deleted       then  claim b waits: gpu-0 is held by default/a
when   claim a is deleted     then  claim b gets node-1/gpu-0
when   pod q uses claim b     then  pod q can run on node-1    and  claim b is for q
