given  class half
given  class third
given  node-1 is ready
given  node-1 publishes %card units=4, first of 2 slices
given  node-1 publishes half-0 -card:units=2, half-1 -card:units=2, third-0 -card:units=3, slice b of 2
when   claim a wants 1 half and 1 third    then  waits: no node has 1 half + 1 third together: on node-1, half-0 and third-0 consume 5 of counter card/units, which has 4
                                           and   waits: CountersExceeded
when   claim b wants 1 half                then  gets node-1/half-0
when   claim c wants 1 third               then  waits: third-0 consumes 3 of counter card/units, 2 of 4 is left
                                           and   waits: CountersExhausted
when   claim b is deleted                  then  claim c gets node-1/third-0
