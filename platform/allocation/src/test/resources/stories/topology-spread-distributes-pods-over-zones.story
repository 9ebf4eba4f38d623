given  class gpu exists
given  node-1 joins with 4 gpu
and    node-1 is in zone a
given  node-2 joins with 1 gpu
and    node-2 is in zone b
when   pod a of app x, with spread of x by zone and maxSkew 1, uses claim a
and    claim a requests 1 gpu
then   pod a is schedulable on node-2

when   pod b of app x, with spread of x by zone and maxSkew 1, uses claim b
and    claim b requests 1 gpu
then   pod b is schedulable on node-1

when   pod c of app x, with spread of x by zone and maxSkew 1, uses claim c
and    claim c requests 1 gpu
then   pod c is pending: node-1 has the devices, and zone=a would have 2 more matching pods than another domain, at most 1 are allowed (topology spread)

when   pod a is bound to node-2
then   pod c is schedulable on node-1

when   pod d of app x, with spread of x by zone and maxSkew 1, uses claim d
and    claim d requests 1 gpu
then   pod d is pending: InterPodConstraints

when   pod b is terminating
then   pod d is schedulable on node-1
