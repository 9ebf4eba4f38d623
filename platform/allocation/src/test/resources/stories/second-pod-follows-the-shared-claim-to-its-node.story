given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 2 gpu
given  claim shared requests 1 gpu
when   pod a uses claim shared
then   pod a is schedulable on node-1

when   pod b uses claim shared and claim own
and    claim own requests 2 gpu
then   pod b is pending: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is allocated to default/shared

when   node-1 publishes 3 gpu
then   pod b is schedulable on node-1
and    claim own is allocated: node-1/gpu-1, node-1/gpu-2
