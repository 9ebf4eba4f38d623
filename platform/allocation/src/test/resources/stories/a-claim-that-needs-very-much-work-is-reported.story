# An hour has to pass before the next report for the namespace.
given  class gpu
given  node-1 with devices gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3
given  claim warm wants 1 gpu
given  an input may cause 1 units of work and a slice 1
when   claim costly wants 4 gpu with different n       then  waits    and  work is unfinished
when   298 slices of work are done                     then  no alarm of work
when   2 slices of work are done                       then  an alarm that claim costly needs much work
