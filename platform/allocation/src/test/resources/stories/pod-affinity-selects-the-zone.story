given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
given  node-2 joins with 2 gpu
and    node-2 is in zone b
when   pod a of app x, with affinity to y by zone, uses claim a
and    claim a requests 1 gpu
then   pod a is pending: no pod that this pod requires is in zone=a (pod affinity)

when   pod server of app y runs on node-2
then   pod a is schedulable on node-2

when   pod b of app z, with affinity to z by zone, uses claim b
and    claim b requests 1 gpu
then   pod b is schedulable on node-2

when   pod c of app z, with affinity to z by zone, uses claim c
and    claim c requests 1 gpu
then   pod c is pending: no pod that this pod requires is in zone=a (pod affinity)

when   pod a is deleted
and    claim a is deleted
then   pod c is schedulable on node-2
