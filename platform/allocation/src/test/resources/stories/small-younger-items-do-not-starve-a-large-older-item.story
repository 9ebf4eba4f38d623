# Each of two nodes has two devices, and claim large needs a whole node.
# After two items have overtaken it, a node is earmarked for it.
given  class gpu exists
given  an item is overtaken at most 2 times
given  node-1 joins with 2 gpu
given  node-2 joins with 2 gpu
given  claim a requests 1 gpu
given  claim b requests 2 gpu
when   claim large requests 2 gpu
then   claim large is pending: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is allocated to default/a

when   claim small-1 requests 1 gpu
then   claim small-1 is allocated: node-1/gpu-1
and    no node is earmarked

when   claim small-1 is deleted
then   claim large is pending

when   claim small-2 requests 1 gpu
then   claim small-2 is allocated: node-1/gpu-1
and    node-1 is earmarked for claim large

when   claim small-2 is deleted
then   claim large is pending

when   claim small-3 requests 1 gpu
then   claim small-3 is pending: the nodes that fit are earmarked for an older item

when   claim a is deleted
then   claim large is allocated: node-1/gpu-0, node-1/gpu-1
and    no node is earmarked

when   claim b is deleted
then   claim small-3 is allocated: node-2/gpu-0
