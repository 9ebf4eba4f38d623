given  class gpu
given  node-1 with gpu-0 memory:80Gi +shared
given  claim a wants 1 gpu (memory:50Gi)
given  claim b wants 1 gpu (memory:30Gi)
when   node-1 publishes gpu-0 memory:60Gi +shared    then  an alarm begins: node-1/gpu-0 is overdrawn
when   claim b is deleted                            then  an alarm ends: node-1/gpu-0 is overdrawn
when   claim c wants 1 gpu (memory:20Gi)             then  waits: CapacityExhausted    and  no alarm
