given  class gpu exists
given  node-1 joins with 1 gpu
given  the cell only observes
given  claim big requests 2 gpu
when   kube-scheduler allocates node-1/gpu-0 to claim big
then   the cell compares claim big: only-kube-scheduler

when   all observations arrive again
then   the cell compares no claim
