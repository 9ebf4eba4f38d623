# Two watchers report as one source, each after its own list.
# The previous watcher continues to report changes.
given  the cell requires the sync of every kind
given  class gpu exists
given  node-1 joins with 2 gpu
given  sync of every kind completes
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   claim a is deleted without a watch event
and    sync of every kind completes
then   claim a is no work item
and    node-1/gpu-0 is free

when   a stale upsert of claim a arrives
then   claim a is no work item
and    the cell ignores the observation as stale

when   the previous watcher reports that claim c requests 1 gpu
then   claim c is allocated: node-1/gpu-0

when   the last upsert of claim c arrives again
then   the cell emits no output
and    the cell ignores only repetitions

when   the previous watcher reports that sync of ResourceClaim completes
then   the cell emits no output
and    the cell ignores the observation as stale
and    node-1/gpu-0 is allocated to claim c
and    node-1/gpu-1 is allocated to claim b

when   the previous watcher reports that the watch of ResourceClaim becomes stale
then   the cell emits no output
and    the cell ignores the observation as stale

when   the previous watcher reports that claim b is deleted
then   node-1/gpu-1 is free

when   claim d requests 1 gpu
then   claim d is allocated: node-1/gpu-1

when   sync of ResourceClaim completes
then   the cell makes no decision
and    the cell ignores only repetitions
