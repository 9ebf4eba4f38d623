given  class gpu
given  node-1 with gpu-0 memory:80Gi, gpu-1 memory:80Gi +shared, gpu-2 memory:40Gi
when   claim a wants 1 gpu (memory:10Gi)    then  gets node-1/gpu-1
when   claim b wants 1 gpu (memory:60Gi)    then  gets node-1/gpu-1
when   claim c wants 1 gpu                  then  gets node-1/gpu-2
when   claim d wants 1 gpu (memory:20Gi)    then  gets node-1/gpu-0
