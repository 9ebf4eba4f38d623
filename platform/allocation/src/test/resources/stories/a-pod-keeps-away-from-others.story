given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
given  node-2 with 2 gpu                     and  node-2 is in zone b
when   pod a of app x, away from x by zone, uses claim a
and    claim a wants 1 gpu                                  then  pod a can run on node-1
when   pod b of app x, away from x by zone, uses claim b
and    claim b wants 1 gpu                                  then  pod b can run on node-2
when   pod c of app x, away from x by zone, uses claim c
and    claim c wants 1 gpu                                  then  pod c waits: only nodes that other pods exclude have what it needs, nearest: node-1 has the devices, and a pod that excludes this pod is in zone=a (pod anti-affinity)
when   pod b finishes                        then  pod c can run on node-2
