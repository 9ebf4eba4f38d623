given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  template t wants 1 gpu
when   pod p uses template t
and    the claims of pod p are made            then  pod p can run on node-1
when   pod p is deleted                        then  claim p-use-0 is revoked
when   the cluster refuses what claim p-use-0 gets
then   node-1/gpu-0 is free    and  claim p-use-0 is nobody's business
when   claim p-use-0 is deleted                then  the decisions on one claim end
