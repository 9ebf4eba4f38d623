given  class gpu exists
given  node-1 joins with 1 gpu
given  claim x requests 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
given  the work budget is 60 units per input and 100000 units per slice
when   node-2 joins with 30 gpu
then   the cell has unfinished work

when   claim a changes
then   claim a is pending: EvaluationPending

when   20 work slices run
then   the cell has no unfinished work
then   claim a is allocated: node-2/gpu-0
then   claim b is allocated: node-2/gpu-1
