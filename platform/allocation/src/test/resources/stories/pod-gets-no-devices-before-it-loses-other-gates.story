# A queue such as Kueue decides first. Its gate is removed before that of Claimstream.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod queued with gates kueue.x-k8s.io/admission and claimstream.dev/allocation uses claim a
then   pod queued is pending: pod default/queued has the scheduling gate kueue.x-k8s.io/admission of another controller: devices are allocated when it is removed

when   gated pod other uses claim b
then   pod other is schedulable on node-1

when   pod queued loses gate kueue.x-k8s.io/admission
then   pod queued is pending: DevicesInUse

when   pod other is deleted
and    claim b is deleted
then   pod queued is schedulable on node-1
