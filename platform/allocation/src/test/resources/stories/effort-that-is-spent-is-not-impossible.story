# Three devices with values of their own out of six with two values; no effort finds them, a small one does not know.
given  class gpu
given  policy first-fit
given  node-1 with devices gpu-0 n=0, gpu-1 n=0, gpu-2 n=0, gpu-3 n=1, gpu-4 n=1, gpu-5 n=1
given  at most 1 steps of search
when   claim hard wants 3 gpu with different n      then  waits: search budget exhausted: no result within 1 steps on a node
                                                    and   it took 12 to 13 steps    # once, and once more with ten times as much
when   claim hard is asked for again                then  nothing is said
when   node-2 with 1 gpu                            then  claim hard waits: SearchBudgetExhausted    and  it took 3 to 8 steps    # not ten times again
when   at most 1000 steps of search                 then  claim hard waits: no node has 3 gpu with the constraint on distinct n
when   at most 2 steps of search
and    claim easy wants 2 gpu with different n      then  claim easy gets node-1/gpu-0 node-1/gpu-3    # the larger effort was enough
