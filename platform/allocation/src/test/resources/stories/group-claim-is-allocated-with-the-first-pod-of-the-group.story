# As in kube-scheduler, the pod determines the node of the claim.
given  claims wait for a consumer
given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim shared requests 1 gpu
given  claim other requests 1 gpu
when   group trainers shares claim shared
then   claim shared is pending: pod group default/trainers uses claim default/shared, but none of its pods does

when   pod a of group trainers uses claim shared
then   pod a is schedulable on node-1
and    claim shared is reserved for trainers

when   pod z uses claim other
then   pod z is pending: DevicesInUse

when   pod a is deleted
then   claim shared is allocated: node-1/gpu-0

when   pod b of group trainers uses claim shared
then   pod b is schedulable on node-1

when   pod b is deleted
and    group trainers is deleted
then   the cell revokes claim shared

when   the API server rejects the allocation of claim shared
then   pod z is schedulable on node-1
and    claim shared is pending: NoConsumer
