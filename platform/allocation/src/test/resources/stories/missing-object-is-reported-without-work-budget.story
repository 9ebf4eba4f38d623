given  class gpu exists
given  node-1 joins with 1 gpu
given  pod p uses claim missing-a
given  pod q uses claim missing-b
given  pod r uses claim missing-c
given  the work budget is 300 units per input and 100000 units per slice
when   claim watch requests 1 gpu with admin access
then   claim watch is pending: namespace default does not have the label

when   20 work slices run
then   the cell has no unfinished work
then   claim watch is pending: namespace default does not have the label

when   the namespace allows admin access
when   20 work slices run
then   claim watch is allocated: node-1/gpu-0
