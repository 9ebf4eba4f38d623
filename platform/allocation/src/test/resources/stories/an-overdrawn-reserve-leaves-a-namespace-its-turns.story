# A dear evaluation costs some 1,230 units, more than an input may spend: what is overspent is repaid with 1,000 units a second.
given  class gpu
given  node-1 with devices gpu-0 n=0, gpu-1 n=1, gpu-2 n=2
given  claim warm wants 1 gpu
given  claim warm is deleted
given  an input may cause 300 units of work and a slice 2500
when   claim costly wants 1 gpu [dear:model=none]      then  waits: selector #0 of request r is being evaluated
when   claim soon wants 1 gpu                          then  waits: selectors are being compiled: 0 of 1 characters done
given  an input may cause 1500 units of work and a slice 2500
given  60 seconds pass
when   claim late wants 2 gpu                          then  claim late gets node-1/gpu-0, node-1/gpu-1   and  work is unfinished
when   4 slices of work are done                       then  claim soon gets node-1/gpu-2       and  no work is unfinished
