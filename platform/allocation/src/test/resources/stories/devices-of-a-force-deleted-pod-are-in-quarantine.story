# A kubelet stops a force-deleted pod some seconds later.
# Until then the pod uses its devices, whatever its claim says.
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
then   node-1/gpu-0 is allocated to claim a

when   pod q uses claim b
then   pod q is pending

when   5 seconds pass
then   node-1/gpu-0 is allocated to claim a

when   5 seconds pass
then   pod q is schedulable on node-1
and    node-1/gpu-0 is allocated to claim b
