# The controller releases a claim after its last pod. Until then the reason says what has become of that pod.
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                               then  pod p can run on node-1
when   claim a is confirmed
and    pod q uses claim b                               then  pod q waits: gpu-0 is held by default/a (used by pod default/p)
when   pod p is bound to node-1
and    pod p finishes
and    claim b changes                                  then  pod q waits: gpu-0 is held by default/a (used by pod default/p: Succeeded)
when   claim a is being deleted
and    claim b changes                                  then  pod q waits: gpu-0 is held by default/a (used by pod default/p: Succeeded, claim is being deleted)
when   claim a is cleared                               then  pod q can run on node-1
