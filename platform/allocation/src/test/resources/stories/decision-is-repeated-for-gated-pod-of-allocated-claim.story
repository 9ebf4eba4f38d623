# The writer removes a gate only after a decision for the pod.
# Pod b is covered by the reservation for its group.
# Pod late uses a claim that is allocated for another pod.
given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim shared requests 1 gpu
given  claim other requests 1 gpu
given  group trainers shares claim shared
when   gated pod a of group trainers uses claim shared
then   pod a is schedulable on node-1

when   gated pod b of group trainers uses claim shared
then   the cell repeats the decision on claim shared for pod b
and    claim shared is reserved for trainers

when   pod c of group trainers uses claim shared
then   the cell makes no decision

when   pod free uses claim other
then   pod free is schedulable on node-1

when   gated pod late uses claim other
then   claim other is reserved for free and late
