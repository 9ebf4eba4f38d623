# Its second pod is let go with what the claim is given anew.
given  class gpu
given  node-1 with 2 gpu
given  claim shared wants 1 gpu
when   pod a uses claim shared                      then  claim shared gets node-1/gpu-0
when   node-1 publishes gpu-1                       then  claim shared is revoked
when   pod b uses claim shared                      then  pod b waits: a device of claim default/shared is not published any more: the allocation is revoked before the claim is allocated again
when   the cluster refuses what claim shared gets   then  claim shared gets node-1/gpu-1    and  pod b can run on node-1
