given  class gpu exists
and    class nic exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
given  node-2 joins with 2 nic
and    node-2 is in zone b
when   pod a of app x, with affinity to x by zone, uses claim a
and    pod b of app x, with affinity to x by zone, uses claim b
and    claim a requests 1 gpu
then   pod a is schedulable on node-1

when   claim b requests 1 nic
then   pod b is pending: no pod that this pod requires is in zone=b

when   pod c of app x uses claim c
and    claim c requests 1 nic
then   pod c is schedulable on node-2
and    pod b is schedulable on node-2
