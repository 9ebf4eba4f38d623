given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   claim watch requests 1 gpu with admin access
then   claim watch is pending: namespace default does not have the label

when   the namespace allows admin access
then   claim watch is allocated: node-1/gpu-0
and    node-1/gpu-0 is allocated to claim a

when   the namespace does not allow admin access
then   the cell makes no decision
