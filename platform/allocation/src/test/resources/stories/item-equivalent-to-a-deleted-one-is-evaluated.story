given  class gpu exists
given  claims wait for a consumer
given  node-1 joins with 1 gpu
given  claim x requests 1 gpu
given  pod px uses claim x
given  claim a requests 1 gpu
given  pod pa uses claim a
given  claim b requests 1 gpu
given  pod pb uses claim b
given  the work budget is 60 units per input and 100000 units per slice
when   node-2 joins with 30 gpu
then   the cell has unfinished work

when   pod pa is deleted
when   20 work slices run
then   the cell has no unfinished work
then   pod pb is schedulable on node-2
