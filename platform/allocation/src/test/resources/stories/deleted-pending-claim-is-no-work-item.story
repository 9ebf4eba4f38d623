given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   claim b requests 1 gpu
then   claim b is pending

when   claim b is terminating
then   claim b is pending: claim default/b is being deleted

when   claim b is deleted
then   claim b is no work item

when   claim a is deleted
then   the cell releases claim a
and    node-1/gpu-0 is free
