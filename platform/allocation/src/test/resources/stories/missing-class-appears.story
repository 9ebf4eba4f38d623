given  node-1 joins with 1 gpu
when   claim a requests 1 gpu
then   claim a is pending: request r0: could not retrieve device class gpu: it does not exist

when   class gpu exists
then   claim a is allocated: node-1/gpu-0

when   class gpu is deleted
then   the cell makes no decision
