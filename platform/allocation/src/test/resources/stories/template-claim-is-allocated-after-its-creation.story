given  class gpu exists
given  node-1 joins with 1 gpu
when   pod p uses template t
then   pod p is pending: claim template default/t does not exist

when   template t requests 1 gpu
then   pod p is pending: the ResourceClaim for pod claim use-0 does not exist yet

when   the resourceclaim controller creates the claims of pod p
then   pod p is schedulable on node-1
and    claim p-use-0 is allocated: node-1/gpu-0

when   pod p is deleted
and    claim p-use-0 is deleted
then   the cell releases claim p-use-0
