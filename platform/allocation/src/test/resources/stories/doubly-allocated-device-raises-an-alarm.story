# Both allocations count.
# The allocation that is not committed yet is revoked, and counts until the writer confirms.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim managed requests 1 gpu
when   claim unmanaged requests 1 gpu
then   claim unmanaged is pending: DevicesInUse

when   kube-scheduler allocates node-1/gpu-0 to claim unmanaged
then   node-1/gpu-0 is allocated to claims managed and unmanaged
and    claim unmanaged is no work item
and    the cell raises an alarm: node-1/gpu-0 is doubly allocated

when   claim third requests 1 gpu
then   claim third is pending: gpu-0 is allocated to default/managed (allocation revoked, release not confirmed) and default/unmanaged (used by no pod)

when   claim unmanaged is deleted
then   node-1/gpu-0 is allocated to claim managed
and    claim third is pending
and    the cell clears an alarm: node-1/gpu-0 is doubly allocated

when   claim managed is deleted
then   claim third is allocated: node-1/gpu-0
