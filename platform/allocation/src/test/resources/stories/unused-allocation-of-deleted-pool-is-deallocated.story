given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
given  the cell requires the sync of every kind
given  sync of every kind completes
when   node-1 deletes its ResourceSlice
then   the cell deallocates no claim

when   gated pod p uses claim a
then   the cell deallocates claim a for pod p

when   claim a loses its allocation
then   pod p is schedulable on node-2

# If no other device is free, the pod is pending for its own device.
given  claim b requests 1 gpu
given  node-3 joins with 1 gpu
given  kube-scheduler allocates node-3/gpu-0 to claim b
given  node-3 deletes its ResourceSlice
when   gated pod q uses claim b
then   the cell deallocates no claim
and    pod q is pending: DeviceNotPublished

when   node-3 publishes 1 gpu
then   pod q is schedulable on node-3
