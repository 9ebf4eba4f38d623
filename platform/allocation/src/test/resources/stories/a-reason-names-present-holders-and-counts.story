# A second after a change the texts are of the present state, though the reason code stays the same. The decision is not repeated.
given  class gpu
given  node-1 with 2 gpu
when   claim a wants 2 gpu                 then  gets node-1/gpu-0 node-1/gpu-1
when   claim big wants 2 gpu               then  waits: 2 gpu in use, nearest: node-1 has 0 of 2, gpu-0 is held by default/a
when   2 seconds pass                      then  0 items are explained
                                           and   no refresh is due
when   node-2 with 1 gpu
and    claim c wants 1 gpu                 then  gets node-2/gpu-0
when   claim a is deleted
and    claim first wants 1 gpu             then  claim big gets node-1/gpu-0 node-1/gpu-1
                                           and   claim first waits: nearest: node-1 has 0 of 1, gpu-0 is held by default/big
# the holder is replaced by another
when   claim c is deleted                  then  claim first gets node-2/gpu-0
when   claim last wants 2 gpu              then  claim last waits: held by default/big
when   claim big is deleted                then  claim last gets node-1/gpu-0 node-1/gpu-1
when   claim huge wants 3 gpu              then  claim huge waits: 3 gpu on one node, the largest has 2 in all
# a device is added, and none is free
when   node-3 with 3 gpu                   then  claim huge gets node-3/gpu-0 node-3/gpu-1 node-3/gpu-2
when   claim giant wants 5 gpu             then  claim giant waits: 5 gpu on one node, the largest has 3 in all
when   node-4 with 4 gpu
and    2 seconds pass                      then  claim giant waits: 5 gpu on one node, the largest has 4 in all
                                           and   1 items are explained
                                           and   the same answer
when   2 seconds pass                      then  nothing is said
