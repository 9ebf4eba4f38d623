# The cell sets no device aside for a gang before all its pods fit.
# A pod beyond minCount is allocated on its own.
given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 1 gpu
given  group train has minCount 3
when   pod other uses claim x
and    claim x requests 1 gpu
then   pod other is schedulable on node-2

when   pod a of group train uses claim a
and    claim a requests 1 gpu
then   pod a is pending: pod group default/train: 1 of the 3 pods that start together exist

when   pod b of group train uses claim b
and    claim b requests 1 gpu
then   pod b is pending: GangIncomplete

when   pod c of group train uses claim c
and    claim c requests 1 gpu
then   pod c is pending: pod group default/train: 2 of the 3 pods that start together fit; pod default/c does not fit beside them: 1 gpu in use
and    claim a has no decided allocation
and    claim b has no decided allocation

when   pod young uses claim y
and    claim y requests 1 gpu
then   pod young is schedulable on node-1

when   claim x is deleted
and    pod other is deleted
then   pod a is pending: GangIncomplete

when   node-3 joins with 4 gpu
then   pod a is schedulable
and    pod b is schedulable
and    pod c is schedulable

when   pod d of group train uses claim d
and    claim d requests 4 gpu
then   pod d is pending: DevicesInUse
