# The containers of a deleted pod can run for a while.
# The devices of the pod are in quarantine, and the reason names its end.
given  class gpu exists
given  node-1 joins with 1 gpu
given  the quarantine lasts 10 seconds
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p is bound to node-1
and    pod p is deleted
and    claim a is deleted
when   pod q uses claim b
then   pod q is pending: gpu-0 is allocated to default/a (pod deleted, quarantine until 20

when   10 seconds pass
then   pod q is schedulable on node-1
