# Its second pod is let go with what the claim is given anew.
given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
when   pod a uses claim shared                      then  claim shared gets node-1/gpu-0
when   node-1 publishes gpu-1                       then  claim shared is revoked
when   pod b uses claim shared                      then  pod b waits: a device that claim default/shared was given is not published any more: it is taken back before the claim is given another one
when   the cluster refuses what claim shared gets   then  claim shared gets node-1/gpu-1    and  pod b can run on node-1
