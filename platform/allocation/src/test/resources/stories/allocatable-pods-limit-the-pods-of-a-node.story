given  class gpu exists
given  node-1 joins with 2 gpu
given  node-1 has 64 cpu and 1 pods allocatable
given  claim a requests 1 gpu
when   pod first uses claim a
then   pod first is schedulable on node-1

when   pod second uses claim b
and    claim b requests 1 gpu
then   pod second is pending: too little of pods (0 of 1 left, 1 requested)

when   pod first is deleted
and    claim a is deleted
then   pod second is schedulable on node-1
