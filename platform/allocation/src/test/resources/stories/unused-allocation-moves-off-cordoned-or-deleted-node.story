given  class gpu exists
given  node-1 joins with 1 gpu
given  node-2 joins with 1 gpu
given  claim a requests 1 gpu
given  kube-scheduler allocates node-1/gpu-0 to claim a
given  node-1 is cordoned
when   gated pod p uses claim a
then   the cell deallocates claim a for pod p
and    pod p is pending: Reallocating

when   claim a loses its allocation
then   pod p is schedulable on node-2

given  node-3 joins with 1 gpu
given  node-4 joins with 1 gpu
given  claim b requests 1 gpu
given  kube-scheduler allocates node-3/gpu-0 to claim b
given  node-3 is deleted
when   gated pod q uses claim b
then   the cell deallocates claim b for pod q

# The uncordoned node accepts the pod at once.
given  node-4 is deleted
given  node-1 is uncordoned
when   claim b loses its allocation
then   pod q is schedulable on node-1

given  node-5 joins with 1 gpu
given  node-6 joins with 1 gpu
given  claim c requests 1 gpu
given  kube-scheduler allocates node-5/gpu-0 to claim c
given  node-5 is not ready
when   gated pod r uses claim c
then   the cell deallocates claim c for pod r
