given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  template t requests 1 gpu
when   pod p uses template t
and    the resourceclaim controller creates the claims of pod p
then   pod p is schedulable on node-1

when   pod p is deleted
then   the cell revokes claim p-use-0

when   the API server rejects the allocation of claim p-use-0
then   node-1/gpu-0 is free
and    claim p-use-0 is no work item

when   claim p-use-0 is deleted
then   the cell reports a deleted claim
