given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a without a host label
given  node-2 joins with 2 gpu
and    node-2 is in zone a
given  pod first of app x runs on node-1
when   pod a of app x, with affinity to x by zone, with affinity to x by host, uses claim a
and    claim a requests 1 gpu
then   pod a is pending: InterPodConstraints

when   pod first is deleted
then   pod a is schedulable on node-2
