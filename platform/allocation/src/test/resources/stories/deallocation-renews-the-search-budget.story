# The pod needs the third value, which its allocated claim has. Both searches need the larger budget.
given  claims wait for a consumer
given  class gpu exists
given  the policy is first-fit
given  node-1 joins with gpu-0 n=0, gpu-1 n=0, gpu-2 n=0, gpu-3 n=1, gpu-4 n=1, gpu-5 n=1, gpu-6 n=2
given  the search budget is 3 steps
given  claim x requests 1 gpu
given  claim y requests 3 gpu with distinct n
given  kube-scheduler allocates node-1/gpu-6 to claim x
when   gated pod p uses claim x and claim y
then   the cell deallocates claim x for pod p

when   claim x loses its allocation
then   pod p is schedulable on node-1
