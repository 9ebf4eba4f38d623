# A pod that is being deleted uses its devices until its containers have ended. The reason says so: the wait is short.
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                               then  pod p can run on node-1
when   claim a is confirmed
and    pod p is bound to node-1
and    pod q uses claim b                               then  pod q waits: gpu-0 is held by default/a (used by pod default/p)
when   pod p is being deleted
and    claim b changes                                  then  pod q waits: gpu-0 is held by default/a (used by pod default/p: terminating)
when   pod p finishes
and    claim b changes                                  then  pod q waits: gpu-0 is held by default/a (used by pod default/p: Succeeded)
