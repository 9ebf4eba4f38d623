given  class gpu
given  node-1 with gpu-0 alpha:10 +shared
given  node-2 with gpu-0 beta:10 +shared
when   claim a wants 1 gpu    then  gets node-1/gpu-0
when   claim b wants 1 gpu    then  gets node-2/gpu-0
when   claim c wants 1 gpu    then  waits: CapacityExhausted
