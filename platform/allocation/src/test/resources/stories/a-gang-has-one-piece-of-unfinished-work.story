given  class gpu
given  node-1 with 2 gpu
given  group train starts 3 together
when   pod a of group train uses claim a
when   claim a wants 1 gpu
when   pod b of group train uses claim b
when   claim b wants 1 gpu
when   pod c of group train uses claim c
when   claim c wants 1 gpu
given  an input may cause 300 units of work and a slice 100000
when   group train starts 3 together
then   work is unfinished
when   50 slices of work are done
then   no work is unfinished
when   claim solo wants 1 gpu
when   50 slices of work are done
then   claim solo gets node-1/gpu-0
