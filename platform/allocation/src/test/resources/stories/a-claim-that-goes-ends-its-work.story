given  class gpu
given  node-1 with devices gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3
given  claim warm wants 1 gpu
given  an input may cause 700 units of work and a slice 1000
when   claim costly wants 1 gpu [dear:n=3]             then  waits    and  work is unfinished
when   claim costly is deleted                         then  no work is unfinished
when   claim costly wants 1 gpu [dear:n=3]             then  waits: selector #0 of request r is being evaluated: 2 of 4 devices done    # what was paid stays
