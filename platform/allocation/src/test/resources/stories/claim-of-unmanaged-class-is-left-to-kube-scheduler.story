# Kube-scheduler allocates the unmanaged claim after the gate of the pod is removed.
# Claimstream allocates the managed claim before that.
# No allocator can allocate a claim that requests both classes.
given  class gpu exists
given  class nic is unmanaged
given  node-1 joins with 1 gpu and 2 nic
given  claim managed requests 1 gpu
given  claim unmanaged requests 1 nic
given  claim other requests 1 nic
given  claim both requests 1 gpu and 1 nic
when   pod p uses claim managed and claim unmanaged
then   claim managed is allocated: node-1/gpu-0
and    claim managed is reserved for p
and    claim unmanaged has no decided allocation

when   pod q uses claim other
then   pod q is pending: kube-scheduler allocates claim default/other: its classes are unmanaged

when   pod r uses claim both
then   pod r is pending: requests the unmanaged class nic and the managed class gpu: no allocator can allocate both

when   class nic is managed
then   claim unmanaged is allocated: node-1/nic-0
and    claim unmanaged is reserved for p
