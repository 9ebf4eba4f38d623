given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   the API server stores the allocation of claim a
then   the cell makes no decision
and    claim a is allocated: node-1/gpu-0

when   a probe arrives
then   the probe answer is 1 allocated and 0 pending

when   claim b requests 1 gpu
then   claim b is pending

when   claim a loses its allocation
then   the cell releases claim a
