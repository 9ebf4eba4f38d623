given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 has 2 cpu and 1 pods allocatable
given  claim a requests 1 gpu
when   pod static on node-1 requesting 2 cpu uses claim a
then   pod static is schedulable on node-1

when   pod static is bound to node-1
then   pod static is schedulable on node-1
