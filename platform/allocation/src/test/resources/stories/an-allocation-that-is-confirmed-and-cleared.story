given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   claim a is confirmed    then  the same answer    and  claim a gets node-1/gpu-0
when   somebody asks whether all is decided    then  answered: 1 granted, 0 waiting
when   claim b wants 1 gpu     then  waits
when   claim a is cleared      then  claim a is released
