given  class gpu exists
given  node-1 joins with 2 gpu
given  group train has minCount 3
when   pod a of group train uses claim a
when   claim a requests 1 gpu
when   pod b of group train uses claim b
when   claim b requests 1 gpu
when   pod c of group train uses claim c
when   claim c requests 1 gpu
given  the work budget is 300 units per input and 100000 units per slice
when   group train has minCount 3
then   the cell has unfinished work

when   50 work slices run
then   the cell has no unfinished work

when   claim solo requests 1 gpu
when   50 work slices run
then   claim solo is allocated: node-1/gpu-0
