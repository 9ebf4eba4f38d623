given  class gpu exists
given  node-1 joins with 2 gpu
given  template t requests 1 gpu
given  feature gate DRAWorkloadResourceClaims is enabled
given  group trainers shares template t
when   pod p of group trainers uses template t
and    the claims of pod p belong to group trainers
then   pod p is schedulable on node-1
and    claim p-use-0 is reserved for trainers

when   pod q of group trainers uses template t
and    the claims of pod q belong to group inference
then   pod q is pending: claim default/q-use-0 was not created for pod default/q: it belongs to PodGroup inference
