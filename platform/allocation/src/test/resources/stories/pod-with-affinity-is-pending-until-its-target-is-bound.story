given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
when   pod client of app x, with affinity to y by zone, uses claim a
and    claim a requests 1 gpu
then   pod client is pending: InterPodConstraints

when   pod server of app y uses claim b
and    claim b requests 1 gpu
then   pod server is schedulable on node-1
and    pod client is pending: InterPodConstraints

when   pod server is bound to node-1
then   pod client is schedulable on node-1
