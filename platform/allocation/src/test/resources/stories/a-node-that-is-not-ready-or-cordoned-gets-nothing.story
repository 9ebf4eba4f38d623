given  class gpu
given  node-1 with 1 gpu
when   node-1 is not ready
and    claim a wants 1 gpu    then  waits: NoUsableNode
when   node-1 is cordoned     then  claim a waits: NoUsableNode
when   node-1 is open         then  claim a gets node-1/gpu-0
