# A terminating pod uses its devices until its containers end.
# The reason says so, because the other pod is pending for a short time only.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p is bound to node-1
and    pod q uses claim b
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p)

when   pod p is terminating
and    claim b changes
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: terminating)

when   pod p succeeds
and    claim b changes
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: Succeeded)
