given  class gpu
given  node-1 with 1 gpu
when   claim train wants 2 gpu           then  waits: 2 gpu on one node, the largest has 1
when   node-1 publishes 2 gpu            then  gets node-1/gpu-0 node-1/gpu-1
when   claim train is asked for again    then  the same answer
