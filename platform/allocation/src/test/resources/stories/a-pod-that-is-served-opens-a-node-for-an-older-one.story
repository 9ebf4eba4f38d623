given  class gpu                             and  class nic
given  node-1 with 2 gpu                     and  node-1 is in zone a
given  node-2 with 2 nic                     and  node-2 is in zone b
when   pod a of app x, near x by zone, uses claim a
and    pod b of app x, near x by zone, uses claim b
and    claim a wants 1 gpu                   then  pod a can run on node-1
when   claim b wants 1 nic                   then  pod b waits: no pod that this pod requires is in zone=b
when   pod c of app x uses claim c
and    claim c wants 1 nic                   then  pod c can run on node-2  and  pod b can run on node-2
