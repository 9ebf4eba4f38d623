given  class gpu
given  node-1 with 1 gpu
when   pod p uses template t              then  waits: claim template default/t does not exist
when   template t wants 1 gpu             then  pod p waits: the ResourceClaim for pod claim use-0 does not exist yet
when   the claims of pod p are made       then  pod p can run on node-1    and  claim p-use-0 gets node-1/gpu-0
when   pod p is deleted
and    claim p-use-0 is deleted           then  claim p-use-0 is released
