# Claim b is deleted.
# Neither its earlier upserts nor its deletion bring it back.
given  class gpu exists
given  node-1 joins with 2 gpu
given  sync of every kind completes
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   claim b is deleted
then   node-1/gpu-1 is free

when   all observations arrive again
then   the cell makes no decision
and    the cell changes no alarm
and    node-1/gpu-0 is allocated to claim a
and    node-1/gpu-1 is free
and    claim b is no work item
