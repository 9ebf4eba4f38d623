given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
given  pod other of app y runs on node-1
given  the namespace is of team red
when   pod a of app x, away from y of team red by zone, uses claim a
and    claim a wants 1 gpu                                  then  pod a waits: a pod that this pod excludes is in zone=a (pod anti-affinity)
when   the namespace is of team blue         then  pod a can run on node-1
