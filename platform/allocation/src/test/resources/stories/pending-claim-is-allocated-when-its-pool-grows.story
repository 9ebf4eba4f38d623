given  class gpu exists
given  node-1 joins with 1 gpu
when   claim train requests 2 gpu
then   claim train is pending: 2 gpu on one node, the largest has 1

when   node-1 publishes 2 gpu
then   claim train is allocated: node-1/gpu-0, node-1/gpu-1

when   the last upsert of claim train arrives again
then   the cell makes no decision
