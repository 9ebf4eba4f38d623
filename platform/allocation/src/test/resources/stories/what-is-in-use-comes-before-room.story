given  class gpu
given  node-1 with 1 gpu
given  node-1 has room for 2 cpu and 8 pods
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod first taking 2 cpu uses claim a      then  pod first can run on node-1
when   pod second taking 1 cpu uses claim b     then  pod second waits: 1 gpu in use, nearest: node-1 has 0 of 1, gpu-0 is held by default/a
when   pod first finishes
and    claim a is deleted                       then  pod second can run on node-1
