given  class gpu
given  node-1 with gpu-0 memory:80Gi +shared
when   claim a wants 1 gpu (memory:90Gi)    then  waits: request r0 asks for 90Gi of memory, and gpu-0 has 80Gi in all
                                            and   waits: CapacityExceeded
when   claim b wants 1 gpu (memory:50Gi)    then  gets node-1/gpu-0
when   claim c wants 1 gpu (memory:40Gi)    then  waits: request r0 asks for 40Gi of memory, 30Gi of 80Gi is left on gpu-0
when   node-1 publishes gpu-0 memory:120Gi +shared    then  claim c gets node-1/gpu-0
