given  class gpu exists
given  node-1 joins with 1 gpu
when   node-1 publishes 1 gpu in a new generation, slice a of 2
and    claim all requests all gpu
then   claim all is pending: resource pool driver.example/node-1 is currently being updated

when   claim one requests 1 gpu
then   claim one is pending: slices of its pool are missing

when   node-1 publishes gpu-7 in the same generation, slice b of 2
then   claim all is allocated: node-1/gpu-0, node-1/gpu-7
