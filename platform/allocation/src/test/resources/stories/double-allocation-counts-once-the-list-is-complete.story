# A relist shows the objects one by one.
# The new claim of a device can arrive before the old claim without it.
given  the cell requires the sync of every kind
given  class gpu exists
given  node-1 joins with 1 gpu
given  sync of every kind completes
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   the watch of ResourceClaim becomes stale
and    kube-scheduler allocates node-1/gpu-0 to claim b
then   node-1/gpu-0 is allocated to claims a and b
and    the cell changes no alarm

when   sync of ResourceClaim completes
then   the cell raises an alarm: node-1/gpu-0 is doubly allocated

when   the watch of ResourceClaim becomes stale
and    claim b is deleted
then   the cell clears an alarm: node-1/gpu-0 is doubly allocated
