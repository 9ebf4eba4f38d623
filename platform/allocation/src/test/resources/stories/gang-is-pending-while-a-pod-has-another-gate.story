# A queue may admit the pods of a group one after the other.
given  class gpu exists
given  node-1 joins with 2 gpu
given  group train has minCount 2
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod a of group train uses claim a
and    pod b of group train with gates kueue.x-k8s.io/admission uses claim b
then   pod a is pending: GangIncomplete
and    pod b is pending: pod default/b does not fit beside them: pod default/b has the scheduling gate kueue.x-k8s.io/admission

when   pod b loses gate kueue.x-k8s.io/admission
then   pod a is schedulable on node-1
and    pod b is schedulable on node-1
