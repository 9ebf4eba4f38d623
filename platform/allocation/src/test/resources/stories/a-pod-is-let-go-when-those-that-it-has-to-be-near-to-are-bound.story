given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
when   pod client of app x, near y by zone, uses claim a
and    claim a wants 1 gpu                   then  pod client waits: InterPodConstraints
when   pod server of app y uses claim b
and    claim b wants 1 gpu                   then  pod server can run on node-1  and  pod client waits: InterPodConstraints
when   pod server is bound to node-1         then  pod client can run on node-1
