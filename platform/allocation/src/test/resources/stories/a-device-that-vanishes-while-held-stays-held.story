given  class gpu
given  node-1 with 2 gpu
given  claim a wants 2 gpu
when   node-1 publishes 1 gpu    then  node-1/gpu-1 is held by a    and  the same answer
when   claim b wants 1 gpu       then  waits: gpu-0 is held by default/a
when   node-1 publishes 3 gpu    then  claim b gets node-1/gpu-2
when   claim a is deleted        then  node-1/gpu-1 is free
