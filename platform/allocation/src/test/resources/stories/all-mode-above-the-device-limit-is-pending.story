given  class gpu exists
given  node-1 joins with 33 gpu
when   claim a requests all gpu
then   claim a is pending: request r0: adding 33 devices exceeds the claim limit of 32

when   node-1 publishes 2 gpu
then   claim a is allocated: node-1/gpu-0, node-1/gpu-1
