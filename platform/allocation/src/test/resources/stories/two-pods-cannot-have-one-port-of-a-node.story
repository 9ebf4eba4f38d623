given  class gpu
given  node-1 with 2 gpu
when   pod a of app x, on port 8080, uses claim a
and    claim a wants 1 gpu                                  then  pod a can run on node-1
when   pod b of app x, on port 8080, uses claim b
and    claim b wants 1 gpu                                  then  pod b waits: node-1 has the devices, and another pod uses its host port 8080/TCP
when   pod a is deleted                      then  pod b can run on node-1
