given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 2 gpu
given  node-1 has 2 cpu and 10 pods allocatable
given  node-2 has 8 cpu and 10 pods allocatable
when   pod small requesting 1 cpu uses claim a
and    claim a requests 1 gpu
then   pod small is schedulable on node-1

when   pod large requesting 2 cpu uses claim b
and    claim b requests 1 gpu
then   pod large is schedulable on node-2

when   pod other requesting 7 cpu uses claim c
and    claim c requests 1 gpu
then   pod other is pending: no node with the devices has room for the pod, nearest: node-1 has the devices and too little of cpu (1 of 2 left, 7 requested)

when   pod large succeeds
then   pod other is schedulable on node-2
