given  class gpu
given  node-1 with devices gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3
given  claim warm wants 1 gpu
given  an input may cause 700 units of work and a slice 1000
when   claim costly wants 1 gpu [dear:n=3]             then  waits: selector #0 of request r is being evaluated: 1 of 4 devices done
when   1 slices of work are done                       then  it cost 1000 to 1600 units of work
when   slice 0 of work is done once more               then  it cost 0 to 0 units of work
when   4 slices of work are done                       then  claim costly gets node-1/gpu-3
when   claim costly is deleted                         then  no work is unfinished
