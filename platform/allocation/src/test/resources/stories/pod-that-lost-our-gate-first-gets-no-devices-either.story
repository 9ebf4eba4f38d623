# The order of the removals does not matter: another program can remove the gate of Claimstream.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod p with gates claimstream.dev/allocation and kueue.x-k8s.io/admission uses claim a
and    pod p loses gate claimstream.dev/allocation
then   pod p is pending: OtherSchedulingGate

when   pod p loses gate kueue.x-k8s.io/admission
then   pod p is schedulable on node-1
