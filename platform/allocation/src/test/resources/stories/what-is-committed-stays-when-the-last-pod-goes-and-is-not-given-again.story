# The resourceclaim controller of Kubernetes clears the claim.
given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a              then  pod p can run on node-1
when   claim a is confirmed
and    pod p is deleted                then  node-1/gpu-0 is held by a    and  claim a is nobody's business
when   claim a is cleared              then  claim a is released    and  claim a waits: NoConsumer
                                       and   node-1/gpu-0 is free
when   pod q uses claim a              then  pod q can run on node-1
when   the writer has carried out what claim a gets
and    pod q is deleted                then  claim a gets node-1/gpu-0
when   claim a is confirmed
and    claim a is cleared              then  claim a waits: NoConsumer    and  node-1/gpu-0 is free
