given  class gpu exists
given  node-1 joins with 1 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   the API server rejects the allocation of claim a
then   claim a is pending: a policy forbids it
and    node-1/gpu-0 is free

when   claim b requests 1 gpu
then   claim b is allocated: node-1/gpu-0

when   claim b is deleted
then   claim a is pending: Rejected

when   claim a is deleted
and    claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   the writer reports decision 1 on claim a as rejected
then   node-1/gpu-0 is allocated to claim a
