given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim a changes
then   the cell renews the decision on claim a
and    claim a is allocated: node-1/gpu-0

when   the last upsert of claim a arrives again
then   the cell makes no decision

when   the writer commits the allocation of claim a
and    claim a changes
then   the cell makes no decision
