given  claims wait for a consumer
given  feature gate DRAWorkloadResourceClaims is enabled
given  class gpu exists
given  node-1 joins with 1 gpu
given  template t requests 1 gpu
when   group trainers shares template t
and    the resourceclaim controller creates the claims of group trainers
then   claim trainers-use-0 has no decided allocation

when   pod a of group trainers uses template t
and    pod a shares the claims of group trainers
then   pod a is schedulable on node-1
and    claim trainers-use-0 is reserved for trainers

when   pod a is deleted
then   claim trainers-use-0 is allocated: node-1/gpu-0

when   group trainers is deleted
then   the cell revokes claim trainers-use-0
