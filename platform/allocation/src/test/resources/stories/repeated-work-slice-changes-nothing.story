given  class gpu exists
given  node-1 joins with gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3
given  claim warm requests 1 gpu
given  the work budget is 700 units per input and 1000 units per slice
when   claim costly requests 1 gpu [costly:n=3]
then   claim costly is pending: selector #0 of request r0 is being evaluated: 1 of 4 devices done

when   1 work slice runs
then   the cell performs 1000 to 1600 units of work

when   work slice 0 runs again
then   the cell performs 0 to 0 units of work

when   4 work slices run
then   claim costly is allocated: node-1/gpu-3

when   claim costly is deleted
then   the cell has no unfinished work
