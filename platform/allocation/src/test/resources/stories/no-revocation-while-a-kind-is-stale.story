# A pod that is not synced yet looks like a deleted pod.
given  claims wait for a consumer
given  the cell requires the sync of every kind
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p uses claim a
and    sync of every kind completes
then   pod p is schedulable on node-1

when   the watch of Node becomes stale
and    pod p is deleted
then   claim a is allocated: node-1/gpu-0

when   sync of Node completes
then   the cell revokes claim a
