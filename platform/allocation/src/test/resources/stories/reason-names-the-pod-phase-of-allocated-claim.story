# The controller deallocates a claim after its last pod.
# Until then the reason shows the phase of that pod.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod q uses claim b
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p)

when   pod p is bound to node-1
and    pod p succeeds
and    claim b changes
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: Succeeded)

when   claim a is terminating
and    claim b changes
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: Succeeded, claim is being deleted)

when   claim a loses its allocation
then   pod q is schedulable on node-1
