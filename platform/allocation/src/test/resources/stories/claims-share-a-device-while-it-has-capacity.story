given  class gpu exists
given  node-1 joins with gpu-0 memory:80Gi +shared, gpu-1 memory:80Gi +shared
when   claim a requests 1 gpu (memory:50Gi)
then   claim a is allocated: node-1/gpu-0

when   claim b requests 1 gpu (memory:30Gi)
then   claim b is allocated: node-1/gpu-0
and    the cell changes no alarm

when   claim c requests 1 gpu (memory:60Gi)
then   claim c is allocated: node-1/gpu-1

when   claim d requests 1 gpu (memory:30Gi)
then   claim d is pending: not enough capacity left for 1 gpu, nearest: node-1 has 0 of 1

when   claim e requests 1 gpu
then   claim e is pending: CapacityExhausted

when   claim a is deleted
then   claim d is allocated: node-1/gpu-0

when   claim b is deleted
when   claim d is deleted
then   claim e is allocated: node-1/gpu-0
