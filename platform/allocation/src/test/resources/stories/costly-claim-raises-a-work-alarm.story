# The next work alarm for the namespace follows after an hour at the earliest.
given  class gpu exists
given  node-1 joins with gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3
given  claim warm requests 1 gpu
given  the work budget is 1 units per input and 1 units per slice
when   claim costly requests 4 gpu with distinct n
then   claim costly is pending
and    the cell has unfinished work

when   298 work slices run
then   the cell raises no work alarm

when   2 work slices run
then   the cell raises a work alarm for claim costly
