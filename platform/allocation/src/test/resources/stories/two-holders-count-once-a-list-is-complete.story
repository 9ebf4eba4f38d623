# A list shows one object after the other: who has a device now may come before that another has it no more.
given  everything must be listed
given  class gpu
given  node-1 with 1 gpu
given  everything is listed
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   ResourceClaim is known to be old
and    somebody else gives node-1/gpu-0 to claim b                then  node-1/gpu-0 is held by a b
                                                                  and   no alarm
when   ResourceClaim is listed                                    then  an alarm begins: node-1/gpu-0 is contested
when   ResourceClaim is known to be old
and    claim b is deleted                                         then  an alarm ends: node-1/gpu-0 is contested
