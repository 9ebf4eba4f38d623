given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 has 4 cpu and 8 memory and 3 pods allocatable
given  claim a requests 1 gpu
when   pod web requesting 3 cpu runs on node-1
and    pod trainer requesting 2 cpu and 8 memory uses claim a
then   pod trainer is pending: NodeFull

when   pod web succeeds
then   pod trainer is schedulable on node-1

when   pod late requesting 1 memory runs on node-1
then   pod trainer is schedulable on node-1
