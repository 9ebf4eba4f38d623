# It is not overtaken, and no node is kept for it; its pod begins to wait when it comes.
given  claims wait for consumers
given  class gpu
given  at most 2 may overtake
given  node-1 with 2 gpu
given  claim large wants 2 gpu
given  5 claims small want 1 gpu
when   pod a uses claim small-0       then  pod a can run on node-1
when   pod b uses claim small-1       then  pod b can run on node-1
when   pod b is deleted
and    claim small-1 is deleted       then  claim large waits: NoConsumer
when   pod c uses claim small-2       then  pod c can run on node-1    and  no node is kept
when   pod large uses claim large     then  pod large waits: DevicesInUse    and  no node is kept
when   pod c is deleted
and    claim small-2 is deleted
and    pod d uses claim small-3       then  pod d can run on node-1    and  no node is kept
