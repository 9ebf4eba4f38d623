# The large one needs a whole node and is overtaken; then the node is kept for it, its gpus are and its nics are not.
given  class gpu
given  class nic
given  at most 1 may overtake
given  node-1 with 2 gpu and 2 nic
given  claim a wants 1 gpu
when   claim large wants 2 gpu       then  waits: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is held by default/a
when   claim wire wants 1 nic        then  claim wire gets node-1/nic-0    and  node-1 is kept for claim large
when   claim small wants 1 gpu       then  claim small waits: the nodes that fit are earmarked for an older item
when   claim wire-2 wants 1 nic      then  claim wire-2 gets node-1/nic-1    and  claim small waits
when   claim a is deleted            then  claim large gets node-1/gpu-0 node-1/gpu-1    and  claim small waits
when   claim large is deleted        then  claim small gets node-1/gpu-0
