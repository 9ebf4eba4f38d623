# The configured source takes precedence over all others.
# Among the others, the source with the smallest name takes precedence.
# The order of arrival does not matter.
given  class gpu exists
given  the cell requires the sync of every kind
given  node-1 joins with 1 gpu
given  sync of every kind completes
when   source other publishes 4 gpu in pool node-1
and    claim a requests 2 gpu
then   claim a is pending: the largest has 1

when   node-1 deletes its ResourceSlice
then   claim a is allocated: node-1/gpu-0, node-1/gpu-1

when   claim b requests 3 gpu
then   claim b is pending

when   source agent publishes 6 gpu in pool node-1
then   claim b is allocated: node-1/gpu-2, node-1/gpu-3, node-1/gpu-4

given  the API server stores the allocation of claim a
given  the API server stores the allocation of claim b
when   node-1 publishes 1 gpu
then   the cell raises an alarm: node-1/gpu-4 is lost

when   source agent deletes pool node-1
then   the cell changes no alarm
