given  class gpu
given  node-1 with 1 gpu
when   node-1 publishes 1 gpu, first of 2 slices
and    claim all wants all gpu                             then  waits: resource pool driver.example/node-1 is currently being updated
when   claim one wants 1 gpu                               then  waits: slices of its pool are missing
when   node-1 publishes devices gpu-7, slice b of 2        then  claim all gets node-1/gpu-0 node-1/gpu-7
