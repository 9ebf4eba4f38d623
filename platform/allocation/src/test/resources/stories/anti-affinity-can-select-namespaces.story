given  class gpu exists
given  node-1 joins with 2 gpu
and    node-1 is in zone a
given  pod other of app y runs on node-1
given  the namespace has label team=red
when   pod a of app x, with anti-affinity to y of team red by zone, uses claim a
and    claim a requests 1 gpu
then   pod a is pending: a pod that this pod excludes is in zone=a (pod anti-affinity)

when   the namespace has label team=blue
then   pod a is schedulable on node-1
