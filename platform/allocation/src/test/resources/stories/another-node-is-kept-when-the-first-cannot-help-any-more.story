given  class gpu
given  at most 1 may overtake
given  node-1 with 2 gpu
given  node-2 with 2 gpu
given  claim a wants 2 gpu
given  claim b wants 2 gpu
given  claim large wants 2 gpu
when   claim a is deleted                 then  claim large gets node-1/gpu-0 node-1/gpu-1
when   claim second wants 2 gpu           then  waits: DevicesInUse
when   node-3 with 1 gpu
and    claim small wants 1 gpu            then  claim small gets node-3/gpu-0    and  node-1 is kept for claim second
when   node-1 is gone
and    node-4 with 1 gpu
and    claim small-2 wants 1 gpu          then  claim small-2 gets node-4/gpu-0    and  node-2 is kept for claim second
when   claim b is deleted                 then  claim second gets node-2/gpu-0 node-2/gpu-1
