given  class gpu
given  node-1 with 2 gpu
when   claim a wants 1 gpu                                  then  claim a gets node-1/gpu-0
when   claim a changes                                      then  claim a is given the same again    and  claim a gets node-1/gpu-0
when   claim a is asked for again                           then  the same answer
when   the writer has carried out what claim a gets
and    claim a changes                                      then  the same answer
