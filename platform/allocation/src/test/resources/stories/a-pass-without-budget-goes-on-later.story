given  class gpu
given  at most 1 may overtake
given  node-1 with 2 gpu
given  claim x wants 1 gpu
given  claim y wants 1 gpu
given  claim big wants 2 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
given  claim c wants 1 gpu
given  an input may cause 60 units of work and a slice 300
when   node-4 with 1 gpu
when   node-5 with 1 gpu
when   node-6 with 1 gpu
when   60 slices of work are done
then   no work is unfinished
then   claim c gets node-6/gpu-0
