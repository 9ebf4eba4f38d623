given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   claim b wants 1 gpu          then  waits
when   claim b is being deleted     then  claim b waits: claim default/b is being deleted
when   claim b is deleted           then  claim b is nobody's business
when   claim a is deleted           then  claim a is released    and  node-1/gpu-0 is free
