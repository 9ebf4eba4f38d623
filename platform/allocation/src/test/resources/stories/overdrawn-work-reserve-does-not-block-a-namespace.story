# An evaluation of the costly selector needs about 1,230 units, more than the budget of an input.
# The overdraft is repaid at 1,000 units per second.
given  class gpu exists
given  node-1 joins with gpu-0 n=0, gpu-1 n=1, gpu-2 n=2
given  claim warm requests 1 gpu
given  claim warm is deleted
given  the work budget is 300 units per input and 2500 units per slice
when   claim costly requests 1 gpu [costly:model=none]
then   claim costly is pending: selector #0 of request r0 is being evaluated

when   claim soon requests 1 gpu
then   claim soon is pending: selectors are being compiled: 0 of 1 characters done

given  the work budget is 1500 units per input and 2500 units per slice
given  60 seconds pass
when   claim late requests 2 gpu
then   claim late is allocated: node-1/gpu-0, node-1/gpu-1
and    the cell has unfinished work

when   4 work slices run
then   claim soon is allocated: node-1/gpu-2
and    the cell has no unfinished work
