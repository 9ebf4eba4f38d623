given  class gpu
given  node-1 with 1 gpu
given  claim x wants 1 gpu
given  claim a wants 1 gpu
given  claim b wants 1 gpu
given  an input may cause 60 units of work and a slice 100000
when   node-2 with 30 gpu
then   work is unfinished
when   claim a changes
then   claim a waits: EvaluationPending
when   20 slices of work are done
then   no work is unfinished
then   claim a gets node-2/gpu-0
then   claim b gets node-2/gpu-1
