given  class gpu
given  node-1 with 2 gpu                     and  node-1 is in zone a
given  pod guard of app y, away from x by zone, runs on node-1
when   pod a of app x uses claim a
and    claim a wants 1 gpu                                  then  pod a waits: InterPodConstraints
when   pod guard is now of app z             then  pod a waits: InterPodConstraints
when   pod guard is deleted                  then  pod a can run on node-1
