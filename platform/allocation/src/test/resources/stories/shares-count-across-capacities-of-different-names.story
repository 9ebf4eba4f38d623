given  class gpu exists
given  node-1 joins with gpu-0 alpha:10 +shared
given  node-2 joins with gpu-0 beta:10 +shared
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim b requests 1 gpu
then   claim b is allocated: node-2/gpu-0

when   claim c requests 1 gpu
then   claim c is pending: CapacityExhausted
