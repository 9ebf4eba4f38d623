given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 2 gpu
given  claim shared requests 1 gpu
given  claim own requests 1 gpu
when   pod a of group trainers uses claim shared
then   pod a is pending: pod group default/trainers does not exist

when   group trainers shares claim shared
then   pod a is schedulable on node-1
and    claim shared is reserved for trainers

when   pod b of group trainers uses claim shared and claim own
then   pod b is schedulable on node-1
and    claim shared is reserved for trainers
and    claim own is reserved for b

when   pod outsider uses claim shared
then   pod outsider is schedulable on node-1
and    claim shared is reserved for trainers and outsider
