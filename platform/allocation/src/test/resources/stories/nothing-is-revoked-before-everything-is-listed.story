# A pod that is not listed yet cannot be told from a pod that is gone.
given  claims wait for consumers
given  everything must be listed
given  class gpu
given  node-1 with 1 gpu
given  claim a wants 1 gpu
when   pod p uses claim a
and    everything is listed              then  pod p can run on node-1
when   Node is known to be old
and    pod p is deleted                  then  claim a gets node-1/gpu-0
when   Node is listed                    then  claim a is revoked
