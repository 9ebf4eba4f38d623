given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   pod p uses claim b
then   pod p is pending: gpu-0 is allocated to default/a

when   pod p is deleted
then   claim b is pending: gpu-0 is allocated to default/a

when   claim a is deleted
then   claim b is allocated: node-1/gpu-0

when   pod q uses claim b
then   pod q is schedulable on node-1
and    claim b is reserved for q
