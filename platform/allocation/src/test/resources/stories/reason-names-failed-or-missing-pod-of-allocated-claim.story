# A reservation names its pod by UID.
# The pod can fail or be deleted before the controller deallocates the claim.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim a
then   pod p is schedulable on node-1

when   the API server stores the allocation of claim a
and    pod p fails
and    pod q uses claim b
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: Failed)

when   pod p is deleted
and    claim b changes
then   pod q is pending: gpu-0 is allocated to default/a (used by pod default/p: not found)
