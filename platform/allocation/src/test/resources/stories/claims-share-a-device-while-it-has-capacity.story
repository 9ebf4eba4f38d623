given  class gpu
given  node-1 with gpu-0 memory:80Gi +shared, gpu-1 memory:80Gi +shared
when   claim a wants 1 gpu (memory:50Gi)    then  gets node-1/gpu-0
when   claim b wants 1 gpu (memory:30Gi)    then  gets node-1/gpu-0  and  no alarm
when   claim c wants 1 gpu (memory:60Gi)    then  gets node-1/gpu-1
when   claim d wants 1 gpu (memory:30Gi)    then  waits: not enough capacity left for 1 gpu, nearest: node-1 has 0 of 1
when   claim e wants 1 gpu                  then  waits: CapacityExhausted
when   claim a is deleted                   then  claim d gets node-1/gpu-0
when   claim b is deleted
when   claim d is deleted                   then  claim e gets node-1/gpu-0
