given  class gpu
given  node-1 with 1 gpu
when   node-1 falls silent
and    claim a wants 1 gpu    then  waits: the only node node-1 sends no heartbeats
when   node-1 is back         then  claim a gets node-1/gpu-0
when   node-1 falls silent    then  the same answer
