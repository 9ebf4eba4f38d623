given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 2 gpu
given  group train has minCount 2
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
given  node-1 is cordoned
when   gated pod a of group train uses claim a
then   the cell deallocates no claim
and    pod a is pending: GangIncomplete

given  claim b requests 1 gpu
when   gated pod b of group train uses claim b
then   the cell deallocates claim a for pod a
and    pod b is pending: GangIncomplete

when   claim a loses its allocation
then   pod a is schedulable on node-2
and    pod b is schedulable on node-2
