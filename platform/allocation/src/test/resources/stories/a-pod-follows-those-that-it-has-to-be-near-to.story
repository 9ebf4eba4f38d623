given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
given  node-2 with 2 gpu                     and  node-2 is in zone b
when   pod a of app x, near y by zone, uses claim a
and    claim a wants 1 gpu                                  then  pod a waits: no pod that this pod requires is in zone=a (pod affinity)
when   pod server of app y runs on node-2    then  pod a can run on node-2
when   pod b of app z, near z by zone, uses claim b
and    claim b wants 1 gpu                                  then  pod b can run on node-2
when   pod c of app z, near z by zone, uses claim c
and    claim c wants 1 gpu                                  then  pod c waits: no pod that this pod requires is in zone=a (pod affinity)
when   pod a is deleted
and    claim a is deleted                    then  pod c can run on node-2
