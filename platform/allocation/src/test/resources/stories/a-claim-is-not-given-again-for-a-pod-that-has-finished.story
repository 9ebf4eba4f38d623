# The resourceclaim controller reserves what is allocated for a finished pod too, takes that back, and clears the claim: given again, it would go round without an end.
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a     then  pod p can run on node-1
when   claim a is confirmed
and    pod p finishes
and    claim a is cleared     then  claim a is nobody's business
when   pod q uses claim a     then  pod q can run on node-1    and  claim a is for q
when   claim a is confirmed
and    pod q is deleted
and    claim a is cleared     then  claim a is nobody's business
when   pod p is deleted       then  claim a gets node-1/gpu-0
