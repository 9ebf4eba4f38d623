given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
given  pod guard of app y, with anti-affinity to x by zone, runs on node-1
when   pod a of app x uses claim a
and    claim a requests 1 gpu
then   pod a is pending: InterPodConstraints

when   pod guard changes to app z
then   pod a is pending: InterPodConstraints

when   pod guard is deleted
then   pod a is schedulable on node-1
