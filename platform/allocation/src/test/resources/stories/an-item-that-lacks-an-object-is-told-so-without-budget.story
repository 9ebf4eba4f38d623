given  class gpu
given  node-1 with 1 gpu
given  pod p uses claim missing-a
given  pod q uses claim missing-b
given  pod r uses claim missing-c
given  an input may cause 300 units of work and a slice 100000
when   claim watch wants 1 gpu for an administrator
then   waits: namespace default does not carry the label
when   20 slices of work are done
then   no work is unfinished
then   claim watch waits: namespace default does not carry the label
when   administrators may use the namespace
when   20 slices of work are done
then   claim watch gets node-1/gpu-0
