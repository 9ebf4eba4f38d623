# Any user who may create claims could hold every device otherwise.
given  claims wait for consumers
given  class gpu
given  node-1 with 2 gpu
when   claim a wants 1 gpu         then  waits: NoConsumer
                                   and   because no pod uses claim default/a: create a pod that names it in spec.resourceClaims
                                   and   claim a has nothing
when   node-2 with 2 gpu           then  nothing is said
when   claim b wants 2 gpu         then  claim b waits: NoConsumer
when   pod p uses claim a          then  pod p can run on node-1    and  claim a is for p
                                   and   claim b waits: NoConsumer
