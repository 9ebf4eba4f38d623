given  class gpu
given  class big selects kind=gpu
given  at most 1 may overtake
given  node-1 with 2 gpu
given  claim a wants 1 gpu
given  claim large wants 2 big
when   claim small-1 wants 1 gpu     then  node-1 is kept for claim large
when   claim small-1 is deleted
and    claim small-2 wants 1 gpu     then  claim small-2 waits: Earmarked
when   class big goes                then  claim large waits: could not retrieve device class big: it does not exist
                                     and   claim small-2 gets node-1/gpu-1
