# A pod that is deleted before it finished may run for a while. Its devices are in quarantine, and the reason says until when.
given  class gpu
given  node-1 with 1 gpu
given  what goes by force cools down for 10 seconds
given  claim a wants 1 gpu
given  claim b wants 1 gpu
when   pod p uses claim a                               then  pod p can run on node-1
when   claim a is confirmed
and    pod p is bound to node-1
and    pod p is deleted
and    claim a is deleted
when   pod q uses claim b                               then  pod q waits: gpu-0 is held by default/a (pod deleted, quarantine until 20
when   10 seconds pass                                  then  pod q can run on node-1
