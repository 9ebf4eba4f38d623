# Kube-scheduler allocates it once the pod is let go; what is ours is decided without it. Nobody can allocate a claim that asks for both.
given  class gpu
given  class nic is given by others
given  node-1 with 1 gpu and 2 nic
given  claim ours wants 1 gpu
given  claim theirs wants 1 nic
given  claim other wants 1 nic
given  claim both wants 1 gpu and 1 nic
when   pod p uses claim ours and claim theirs       then  claim ours gets node-1/gpu-0    and  claim ours is for p    and  claim theirs has nothing
when   pod q uses claim other                       then  pod q waits: kube-scheduler allocates claim default/other: its classes are unmanaged
when   pod r uses claim both                        then  pod r waits: requests the unmanaged class nic and the managed class gpu: no allocator can allocate both
when   class nic                                    then  claim theirs gets node-1/nic-0    and  claim theirs is for p
