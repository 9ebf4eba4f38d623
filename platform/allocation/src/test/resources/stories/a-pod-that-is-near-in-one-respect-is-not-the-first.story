given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a and of no host
given  node-2 with 2 gpu                     and  node-2 is in zone a
given  pod first of app x runs on node-1
when   pod a of app x, near x by zone, near x by host, uses claim a
and    claim a wants 1 gpu                   then  pod a waits: InterPodConstraints
when   pod first is deleted                  then  pod a can run on node-2
