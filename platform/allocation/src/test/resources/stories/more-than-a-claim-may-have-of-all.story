given  class gpu
given  node-1 with 33 gpu
when   claim a wants all gpu      then  waits: request r0: adding 33 devices exceeds the claim limit of 32
when   node-1 publishes 2 gpu     then  claim a gets node-1/gpu-0 node-1/gpu-1
