given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   claim watch wants 1 gpu for an administrator    then  waits: namespace default does not carry the label
when   administrators may use the namespace            then  claim watch gets node-1/gpu-0    and  node-1/gpu-0 is held by a
when   administrators may not use the namespace        then  the same answer
