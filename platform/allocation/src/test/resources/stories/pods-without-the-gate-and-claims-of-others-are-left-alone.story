given  class gpu
given  class nic is given by others
given  node-1 with 1 gpu and 1 nic
given  node-2 with 1 gpu and 1 nic
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
when   pod p that must run on node-2 uses claim a          then  no claim is deallocated    and  pod p waits: NoUsableNode
given  claim n wants 1 nic
given  somebody else gives node-1/nic-0 to claim n
when   gated pod q that must run on node-2 uses claim n    then  no claim is deallocated    and  pod q waits: Unmanaged
# where no kube-scheduler is, nobody else would do it
when   no kube-scheduler places pods                       then  claim a is deallocated for pod p
