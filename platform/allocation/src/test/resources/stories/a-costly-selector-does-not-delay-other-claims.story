# A dear evaluation costs some 1,230 units. The claim is evaluated in slices; others go on, and the rest of it is paid once.
given  class gpu
given  node-1 with devices gpu-0 n=0, gpu-1 n=1, gpu-2 n=2, gpu-3 n=3, gpu-4 n=4, gpu-5 n=5
given  claim warm wants 1 gpu
given  an input may cause 1100 units of work and a slice 2500
when   claim costly wants 1 gpu [dear:model=none]      then  waits: selector #0 of request r is being evaluated: 1 of 6 devices done, up to 515 cost units per device
                                                       and   work is unfinished
given  60 seconds pass                                # what was overspent is repaid
when   claim plain wants 1 gpu                         then  claim plain gets node-1/gpu-1    and  work is unfinished
when   1 slices of work are done                       then  work is unfinished               and  it cost 2500 to 4000 units of work
when   3 slices of work are done                       then  claim costly waits: selector 1 of request r0 matches none of 6 gpu
                                                       and   no work is unfinished
given  an input may cause 9000 units of work and a slice 2500
when   2 slices of work are done                       then  no work is unfinished
when   claim alike wants 1 gpu [dear:model=none]       then  claim alike waits: selector 1 of request r0 matches none of 6 gpu
                                                       and   it cost 200 to 2000 units of work    # paid by the first one
when   node-2 with 1 gpu                               then  it cost 1000 to 6000 units of work    # one device is new
                                                       and   no work is unfinished
