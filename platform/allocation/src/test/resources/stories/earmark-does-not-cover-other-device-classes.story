# Claim large needs a whole node, and claim wire overtakes it.
# The node is then earmarked for claim large.
# The earmark covers GPUs and no NICs.
given  class gpu exists
given  class nic exists
given  an item is overtaken at most 1 time
given  node-1 joins with 2 gpu and 2 nic
given  claim a requests 1 gpu
when   claim large requests 2 gpu
then   claim large is pending: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is allocated to default/a

when   claim wire requests 1 nic
then   claim wire is allocated: node-1/nic-0
and    node-1 is earmarked for claim large

when   claim small requests 1 gpu
then   claim small is pending: the nodes that fit are earmarked for an older item

when   claim wire-2 requests 1 nic
then   claim wire-2 is allocated: node-1/nic-1
and    claim small is pending

when   claim a is deleted
then   claim large is allocated: node-1/gpu-0, node-1/gpu-1
and    claim small is pending

when   claim large is deleted
then   claim small is allocated: node-1/gpu-0
