# Two nodes of two; the large one needs a whole node. After two have overtaken it a node is kept for it.
given  class gpu
given  at most 2 may overtake
given  node-1 with 2 gpu
given  node-2 with 2 gpu
given  claim a wants 1 gpu
given  claim b wants 2 gpu
when   claim large wants 2 gpu       then  waits: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is held by default/a
when   claim small-1 wants 1 gpu     then  claim small-1 gets node-1/gpu-1    and  no node is kept
when   claim small-1 is deleted      then  claim large waits
when   claim small-2 wants 1 gpu     then  claim small-2 gets node-1/gpu-1    and  node-1 is kept for claim large
when   claim small-2 is deleted      then  claim large waits
when   claim small-3 wants 1 gpu     then  claim small-3 waits: the nodes that fit are earmarked for an older item
when   claim a is deleted            then  claim large gets node-1/gpu-0 node-1/gpu-1    and  no node is kept
when   claim b is deleted            then  claim small-3 gets node-2/gpu-0
