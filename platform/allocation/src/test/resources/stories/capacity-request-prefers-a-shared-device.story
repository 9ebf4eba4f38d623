given  class gpu exists
given  node-1 joins with gpu-0 memory:80Gi, gpu-1 memory:80Gi +shared, gpu-2 memory:40Gi
when   claim a requests 1 gpu (memory:10Gi)
then   claim a is allocated: node-1/gpu-1

when   claim b requests 1 gpu (memory:60Gi)
then   claim b is allocated: node-1/gpu-1

when   claim c requests 1 gpu
then   claim c is allocated: node-1/gpu-2

when   claim d requests 1 gpu (memory:20Gi)
then   claim d is allocated: node-1/gpu-0
