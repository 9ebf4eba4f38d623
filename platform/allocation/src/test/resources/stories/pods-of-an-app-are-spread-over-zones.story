given  class gpu
given  node-1 with 4 gpu                     and  node-1 is in zone a
given  node-2 with 1 gpu                     and  node-2 is in zone b
when   pod a of app x, spread by zone within 1 of x, uses claim a
and    claim a wants 1 gpu                                  then  pod a can run on node-2
when   pod b of app x, spread by zone within 1 of x, uses claim b
and    claim b wants 1 gpu                                  then  pod b can run on node-1
when   pod c of app x, spread by zone within 1 of x, uses claim c
and    claim c wants 1 gpu                                  then  pod c waits: node-1 has the devices, and zone=a would have 2 more matching pods than another domain, at most 1 are allowed (topology spread)
when   pod a is bound to node-2              then  pod c can run on node-1
when   pod d of app x, spread by zone within 1 of x, uses claim d
and    claim d wants 1 gpu                                  then  pod d waits: InterPodConstraints
when   pod b is being deleted                then  pod d can run on node-1
