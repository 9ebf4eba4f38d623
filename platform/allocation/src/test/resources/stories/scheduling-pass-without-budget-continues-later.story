given  class gpu exists
given  an item is overtaken at most 1 time
given  node-1 joins with 2 gpu
given  claim x requests 1 gpu
given  claim y requests 1 gpu
given  claim big requests 2 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
given  claim c requests 1 gpu
given  the work budget is 60 units per input and 300 units per slice
when   node-4 joins with 1 gpu
when   node-5 joins with 1 gpu
when   node-6 joins with 1 gpu
when   60 work slices run
then   the cell has no unfinished work
then   claim c is allocated: node-6/gpu-0
