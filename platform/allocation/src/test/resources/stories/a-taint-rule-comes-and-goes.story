given  class gpu
given  node-1 with 1 gpu
given  a rule taints node-1/gpu-0 as dead
when   claim a wants 1 gpu                   then  waits: gpu-0 of node node-1 carries the taint dead:NoExecute, which request r0 does not tolerate
when   the rule goes                         then  claim a gets node-1/gpu-0
when   a rule taints node-1/gpu-0 as dead    then  the same answer
when   claim a is deleted
and    claim b wants 1 gpu                   then  waits: Tainted
when   claim c wants 1 gpu although dead     then  gets node-1/gpu-0
