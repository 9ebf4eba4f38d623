given  class gpu
given  node-1 with 1 gpu                     and  node-1 is in zone a
given  node-2 with 2 gpu                     and  node-2 is in zone b
given  pod guard of app y runs on node-2
when   pod a of app x, away from y by zone, uses claim a
and    claim a wants 1 gpu                   then  pod a can run on node-1
when   claim a is confirmed
and    claim a is cleared                    then  pod a waits: InterPodConstraints
when   pod guard is deleted                  then  pod a can run on node-2
