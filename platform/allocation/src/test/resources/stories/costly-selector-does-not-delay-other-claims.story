# An evaluation of the costly selector needs about 1,230 units.
# The cell evaluates the claim in slices, and other claims continue.
# The result is charged once.
given  class gpu exists
given  node-1 joins with gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3, gpu-4 n=4, gpu-5 n=5
given  claim warm requests 1 gpu
given  the work budget is 1100 units per input and 2500 units per slice
when   claim costly requests 1 gpu [costly:model=none]
then   claim costly is pending: selector #0 of request r0 is being evaluated: 1 of 6 devices done, up to 517 cost units per device
and    the cell has unfinished work

given  60 seconds pass    # the overdraft is repaid
when   claim plain requests 1 gpu
then   claim plain is allocated: node-1/gpu-1
and    the cell has unfinished work

when   1 work slice runs
then   the cell has unfinished work
and    the cell performs 2500 to 4000 units of work

when   3 work slices run
then   claim costly is pending: selector 1 of request r0 matches none of 6 gpu
and    the cell has no unfinished work

given  the work budget is 9000 units per input and 2500 units per slice
when   2 work slices run
then   the cell has no unfinished work

when   claim alike requests 1 gpu [costly:model=none]
then   claim alike is pending: selector 1 of request r0 matches none of 6 gpu
and    the cell performs 200 to 2000 units of work    # the first claim paid for the evaluation

when   node-2 joins with 1 gpu
then   the cell performs 1000 to 6000 units of work    # one device is new
and    the cell has no unfinished work
