given  class gpu exists
given  claim unmanaged requests 1 gpu
when   kube-scheduler allocates node-1/gpu-7 to claim unmanaged
then   node-1/gpu-7 is allocated to claim unmanaged
and    the cell changes no alarm

when   node-1 joins with 1 gpu
then   the cell raises an alarm: node-1/gpu-7 is lost

when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   node-1 publishes gpu-0, gpu-7
then   the cell clears an alarm: node-1/gpu-7 is lost

when   claim b requests 1 gpu
then   claim b is pending: DevicesInUse
