# The devices of a claim stay allocated although no pod uses it.
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   kube-scheduler allocates node-1/gpu-0 to claim a
and    pod q uses claim b
then   pod q is pending: gpu-0 is allocated to default/a (used by no pod)
