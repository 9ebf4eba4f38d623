given  node-1 with 1 gpu
when   claim a wants 1 gpu    then  waits: request r0: could not retrieve device class gpu: it does not exist
when   class gpu              then  claim a gets node-1/gpu-0
when   class gpu goes         then  the same answer
