# A node is earmarked for an old item that others overtake.
# A pod that joins an allocated claim takes no device from that item.
given  class gpu exists
given  an item is overtaken at most 2 times
given  node-1 joins with 2 gpu
given  claim a requests 1 gpu
when   claim large requests 2 gpu
then   claim large is pending: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is allocated to default/a

when   claim shared requests 1 gpu
then   claim shared is allocated: node-1/gpu-1
and    no node is earmarked

when   pod one uses claim shared
then   pod one is schedulable on node-1

when   pod two uses claim shared
then   pod two is schedulable on node-1

when   pod three uses claim shared
then   pod three is schedulable on node-1
and    no node is earmarked
