# A reservation names its pod by uid. The pod of a reason can have failed, or can have gone, before the controller releases the claim.
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                               then  pod p can run on node-1
when   claim a is confirmed
and    pod p fails
and    pod q uses claim b                               then  pod q waits: gpu-0 is held by default/a (used by pod default/p: Failed)
when   pod p is deleted
and    claim b changes                                  then  pod q waits: gpu-0 is held by default/a (used by pod default/p: not found)
