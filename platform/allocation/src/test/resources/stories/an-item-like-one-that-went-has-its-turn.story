given  class gpu
given  claims wait for consumers
given  node-1 with 1 gpu
given  claim x wants 1 gpu
given  pod px uses claim x
given  claim a wants 1 gpu
given  pod pa uses claim a
given  claim b wants 1 gpu
given  pod pb uses claim b
given  an input may cause 60 units of work and a slice 100000
when   node-2 with 30 gpu
then   work is unfinished
when   pod pa is deleted
when   20 slices of work are done
then   no work is unfinished
then   pod pb can run on node-2
