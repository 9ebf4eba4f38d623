# As after a restart: everything was allocated and reserved before, and the node is not ready now.
given  class gpu
given  node-1 with 1 gpu
given  node-1 is not ready
given  pod p uses claim a
given  claim a wants 1 gpu
when   somebody else gives node-1/gpu-0 to claim a for pod p    then  the same answer
when   somebody asks whether all is decided                     then  answered: 1 granted, 0 waiting
