given  class gpu exists
given  node-1 joins with 2 gpu
when   pod a of group train uses claim a
and    claim a requests 1 gpu
then   pod a is pending: pod group default/train does not exist

when   group train has minCount 2
then   pod a is pending: pod group default/train: 1 of the 2 pods that start together exist

when   pod b of group train uses claim b
and    claim b requests 1 gpu
then   pod a is schedulable on node-1
and    pod b is schedulable on node-1

when   pod b is deleted
and    claim b is deleted
and    pod c of group train uses claim c
and    claim c requests 2 gpu
then   pod c is pending: GangIncomplete
and    pod a is schedulable on node-1
