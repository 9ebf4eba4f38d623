given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 2 gpu
given  node-1 sends no heartbeats
given  node-2 sends no heartbeats
given  claim existing requests 1 gpu
when   kube-scheduler allocates node-2/gpu-0 to claim existing
then   claim existing is no work item
and    node-2/gpu-0 is allocated to claim existing

given  node-1 sends heartbeats
given  node-2 sends heartbeats
when   pod p uses claim existing and claim own
and    claim own requests 1 gpu
then   pod p is schedulable on node-2
and    claim own is allocated: node-2/gpu-1
and    claim existing is reserved for p
