given  class gpu exists
given  node-1 joins with 1 gpu
given  sync of ResourceClaim completes
given  claim a requests 1 gpu
when   claim b requests 1 gpu
then   claim b is pending: gpu-0 is allocated to default/a

when   claim a is deleted without a watch event
then   claim b is pending

when   sync of ResourceClaim completes
then   claim a is no work item
and    claim b is allocated: node-1/gpu-0
