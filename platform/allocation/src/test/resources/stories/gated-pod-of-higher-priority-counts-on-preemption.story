# Among the nodes that need preemption, the cell selects the one with the least important victim.
# A pod without the gate cannot be bound to a node, so it is pending.
given  kube-scheduler preempts pods
given  class gpu exists
given  node-1 joins with 4 gpu
given  node-2 joins with 4 gpu
given  node-1 has 4 cpu and 10 pods allocatable
given  node-2 has 4 cpu and 10 pods allocatable
given  pod some with priority 5 requesting 4 cpu runs on node-1
given  pod less with priority 3 requesting 4 cpu runs on node-2
when   pod free with priority 9 requesting 1 cpu uses claim a
and    claim a requests 1 gpu
then   pod free is pending: no node with the devices has room for the pod

when   gated pod low with priority 3 requesting 1 cpu uses claim b
and    claim b requests 1 gpu
then   pod low is pending: NodeFull

when   gated pod patient with priority 9 and preemptionPolicy Never requesting 1 cpu uses claim c
and    claim c requests 1 gpu
then   pod patient is pending: NodeFull

when   gated pod high with priority 4 requesting 2 cpu uses claim d
and    claim d requests 1 gpu
then   pod high is schedulable on node-2

when   gated pod higher with priority 9 requesting 3 cpu uses claim e
and    claim e requests 1 gpu
then   pod higher is schedulable on node-2

when   gated pod highest with priority 9 requesting 2 cpu uses claim f
and    claim f requests 1 gpu
then   pod highest is schedulable on node-1

when   pod some is deleted
then   pod free is schedulable on node-1
and    pod patient is schedulable on node-1
and    pod low is pending: NodeFull
