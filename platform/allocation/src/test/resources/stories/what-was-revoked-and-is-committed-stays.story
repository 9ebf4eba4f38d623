# The writer was faster. The resourceclaim controller of Kubernetes clears the claim.
given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a                           then  pod p can run on node-1
when   pod p is deleted                             then  claim a is revoked
when   the writer has carried out what claim a gets  then  node-1/gpu-0 is held by a    and  no alarm
when   claim a is confirmed
and    claim a is cleared                           then  claim a waits: NoConsumer    and  node-1/gpu-0 is free
