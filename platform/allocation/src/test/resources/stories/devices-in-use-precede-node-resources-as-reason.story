given  class gpu exists
given  node-1 joins with 1 gpu
given  node-1 has 2 cpu and 8 pods allocatable
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod first requesting 2 cpu uses claim a
then   pod first is schedulable on node-1

when   pod second requesting 1 cpu uses claim b
then   pod second is pending: 1 gpu in use, nearest: node-1 has 0 of 1, gpu-0 is allocated to default/a

when   pod first succeeds
and    claim a is deleted
then   pod second is schedulable on node-1
