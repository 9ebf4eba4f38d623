# Claim a got its device before a pod used it.
# Several nodes reach the devices of claim b, so they determine no node.
given  kube-scheduler preempts pods
given  class gpu exists
given  class nic exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  pool net publishes 2 nic for nodes *
given  node-1 has 4 cpu and 10 pods allocatable
given  node-2 has 4 cpu and 10 pods allocatable
given  claim a requests 1 gpu
given  pod one requesting 4 cpu runs on node-1
given  pod two requesting 4 cpu runs on node-2
when   gated pod high with priority 9 requesting 2 cpu uses claim a
then   pod high is schedulable on node-1

when   gated pod movable with priority 9 requesting 2 cpu uses claim b
and    claim b requests 1 nic
then   pod movable is pending: NodeFull
