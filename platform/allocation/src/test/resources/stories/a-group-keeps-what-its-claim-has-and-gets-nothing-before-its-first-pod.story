# As kube-scheduler does it: the node of the claim follows from the pod.
given  claims wait for consumers
given  groups may share claims
given  class gpu
given  node-1 with 1 gpu
given  claim shared wants 1 gpu
given  claim other wants 1 gpu
when   group trainers shares claim shared                then  claim shared waits: pod group default/trainers uses claim default/shared, but none of its pods does
when   pod a of group trainers uses claim shared         then  pod a can run on node-1    and  claim shared is for trainers
when   pod z uses claim other                            then  pod z waits: DevicesInUse
when   pod a is deleted                                  then  claim shared gets node-1/gpu-0
when   pod b of group trainers uses claim shared         then  pod b can run on node-1
when   pod b is deleted
and    group trainers is deleted                         then  claim shared is revoked
when   the cluster refuses what claim shared gets        then  pod z can run on node-1    and  claim shared waits: NoConsumer
