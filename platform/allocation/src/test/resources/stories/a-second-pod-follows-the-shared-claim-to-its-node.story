given  class gpu
given  node-1 with 2 gpu
given  node-2 with 2 gpu
given  claim shared wants 1 gpu
when   pod a uses claim shared                  then  pod a can run on node-1
when   pod b uses claim shared and claim own
and    claim own wants 2 gpu                    then  pod b waits: 2 gpu in use, nearest: node-1 has 1 of 2, gpu-0 is held by default/shared
when   node-1 publishes 3 gpu                   then  pod b can run on node-1    and  claim own gets node-1/gpu-1 node-1/gpu-2
