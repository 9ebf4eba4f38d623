given  class gpu exists
given  node-1 joins with 2 gpu
given  node-2 joins with 1 gpu
given  the cell only observes
given  the policy is first-fit
given  claim a requests 1 gpu
given  claim b requests 1 gpu
given  claim c requests 1 gpu
when   kube-scheduler allocates node-1/gpu-1 to claim a
then   the cell compares claim a: other-devices
and    the cell compares claim b: only-claimstream
and    the cell changes no alarm
and    node-1/gpu-1 is allocated to claim a
and    node-1/gpu-0 is allocated to claim b

when   kube-scheduler allocates node-2/gpu-0 to claim b
then   the cell compares claim b: other-node
and    node-1/gpu-0 is allocated to claim c
and    the cell changes no alarm
