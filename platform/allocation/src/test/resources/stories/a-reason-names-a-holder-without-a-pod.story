# Devices of a claim that no pod uses are held all the same.
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   somebody else gives node-1/gpu-0 to claim a
and    pod q uses claim b                               then  pod q waits: gpu-0 is held by default/a (used by no pod)
