given  class gpu exists
given  node-1 joins with 2 gpu
given  the cell only observes
when   claim a requests 1 gpu
then   the cell publishes no allocation
and    the cell decides claim a as pending: ObserveOnly
and    the cell compares claim a: only-claimstream
and    node-1/gpu-0 is allocated to claim a

when   kube-scheduler allocates node-1/gpu-0 to claim a
then   the cell compares claim a: same
and    claim a has no decided allocation
and    node-1/gpu-0 is allocated to claim a

when   claim b requests 1 gpu
and    kube-scheduler allocates node-1/gpu-1 to claim b
then   the cell compares claim b: same

when   claim b loses its allocation
then   the cell compares claim b: only-claimstream
