given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 has 4 cpu and 10 pods allocatable
given  pod low requesting 4 cpu runs on node-1
when   gated pod high with priority 9 requesting 2 cpu uses claim a
and    claim a requests 1 gpu
then   pod high is pending: NodeFull

when   kube-scheduler preempts pods
then   pod high is schedulable on node-1
