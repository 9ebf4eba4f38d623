given  class nic is given by others
given  class gpu
given  node-1 with 1 gpu and 1 nic
given  node-2 with 1 gpu and 1 nic
given  claim a wants 1 nic
given  claim g wants 1 gpu
given  somebody else gives node-1/nic-0 to claim a
# only kube-scheduler deallocates it
when   gated pod p that must run on node-2 uses claim a    then  pod p waits: Unmanaged    and  the decision for claim a is to wait: Unmanaged    and  no claim is deallocated
when   gated pod q that must run on node-2 uses claim a and claim g    then  pod q waits: NoUsableNode
