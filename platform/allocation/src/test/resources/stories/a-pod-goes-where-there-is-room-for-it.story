given  class gpu
given  node-1 with 2 gpu
given  node-2 with 2 gpu
given  node-1 has room for 2 cpu and 10 pods
given  node-2 has room for 8 cpu and 10 pods
when   pod small taking 1 cpu uses claim a
and    claim a wants 1 gpu                      then  pod small can run on node-1
when   pod large taking 2 cpu uses claim b
and    claim b wants 1 gpu                      then  pod large can run on node-2
when   pod other taking 7 cpu uses claim c
and    claim c wants 1 gpu                      then  pod other waits: no node with the devices has room for the pod, nearest: node-1 has the devices and too little of cpu (1 of 2 left, 7 requested)
when   pod large finishes                       then  pod other can run on node-2
