# The possible victims hold the device, are equally important, or release too little.
given  kube-scheduler preempts pods
given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 has 4 cpu and 10 pods allocatable
when   pod user requesting 3 cpu uses claim a
and    claim a requests 1 gpu
then   pod user is schedulable on node-1

when   gated pod urgent with priority 9 requesting 2 cpu uses claim b
and    claim b requests 1 gpu
then   pod urgent is pending: DevicesInUse

given  node-2 joins with 2 gpu
given  node-2 has 4 cpu and 10 pods allocatable
given  pod equal with priority 9 requesting 2 cpu runs on node-2
given  pod small requesting 1 cpu runs on node-2
when   gated pod large with priority 9 requesting 3 cpu uses claim c
and    claim c requests 1 gpu
then   pod large is pending: NodeFull
