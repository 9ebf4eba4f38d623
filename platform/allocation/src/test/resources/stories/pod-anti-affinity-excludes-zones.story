given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
given  node-2 joins with 2 gpu
and    node-2 is in zone b
when   pod a of app x, with anti-affinity to x by zone, uses claim a
and    claim a requests 1 gpu
then   pod a is schedulable on node-1

when   pod b of app x, with anti-affinity to x by zone, uses claim b
and    claim b requests 1 gpu
then   pod b is schedulable on node-2

when   pod c of app x, with anti-affinity to x by zone, uses claim c
and    claim c requests 1 gpu
then   pod c is pending: only nodes that other pods exclude have what it needs, nearest: node-1 has the devices, and a pod that excludes this pod is in zone=a (pod anti-affinity)

when   pod b succeeds
then   pod c is schedulable on node-2
