# A driver deletes its slices when it is removed, and the slices of a deleted node are deleted too.
# Their allocated devices stay allocated until the claim is deleted.
given  class gpu exists
given  the cell requires the sync of every kind
given  node-1 joins with 2 gpu
given  sync of every kind completes
given  claim a requests 2 gpu
given  the API server stores the allocation of claim a
when   node-1 deletes its ResourceSlice
then   node-1/gpu-0 is allocated to claim a
and    the cell makes no decision
and    the cell raises an alarm: node-1/gpu-0 is lost
and    the cell raises an alarm: node-1/gpu-1 is lost

when   the watch of ResourceSlice becomes stale
and    sync of every kind completes
then   the cell changes no alarm

when   node-1 publishes 1 gpu
then   node-1/gpu-0 is allocated to claim a
and    the cell clears an alarm: node-1/gpu-0 is lost

when   node-1 deletes its ResourceSlice
then   the cell raises an alarm: node-1/gpu-0 is lost

when   claim a is deleted
then   the cell clears an alarm: node-1/gpu-0 is lost
and    the cell clears an alarm: node-1/gpu-1 is lost
