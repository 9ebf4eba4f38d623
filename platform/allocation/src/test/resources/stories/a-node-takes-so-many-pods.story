given  class gpu
given  node-1 with 2 gpu
given  node-1 has room for 64 cpu and 1 pods
given  claim a wants 1 gpu
when   pod first uses claim a      then  pod first can run on node-1
when   pod second uses claim b
and    claim b wants 1 gpu         then  pod second waits: too little of pods (0 of 1 left, 1 requested)
when   pod first is deleted
and    claim a is deleted          then  pod second can run on node-1
