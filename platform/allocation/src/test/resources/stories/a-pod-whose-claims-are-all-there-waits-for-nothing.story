# As after a restart: everything was allocated and reserved before, and the node is not ready now. A pod that runs there is served; one
# that is not bound yet cannot go there.
given  class gpu
given  node-1 with 2 gpu
given  node-1 is not ready
given  pod p on node-1 uses claim a
given  pod q uses claim b
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   somebody else gives node-1/gpu-0 to claim a for pod p    then  the same answer
when   somebody else gives node-1/gpu-1 to claim b for pod q    then  the same answer    and  pod q waits: NoUsableNode
when   somebody asks whether all is decided                     then  answered: 1 granted, 1 waiting
when   node-1 is ready
and    somebody asks whether all is decided                     then  answered: 2 granted, 0 waiting
