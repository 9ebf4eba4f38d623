given  class whole
given  class half
given  class slice
given  node-1 is ready
given  node-1 publishes %gpu memory=8, first of 2 slices
given  node-1 publishes whole-0 -gpu:memory=8, half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1, slice b of 2
when   claim a wants 1 half     then  gets node-1/half-0
when   claim b wants 1 whole    then  waits: no room for 1 whole beside other partitions, nearest: node-1 has 0 of 1, half-0 is held by default/a
when   claim c wants 2 half     then  waits: DevicesInUse
when   claim d wants 1 half and 1 slice    then  waits: CountersExhausted
when   claim e wants 1 slice    then  gets node-1/slice-0
when   claim a is deleted       then  claim b waits
when   claim e is deleted       then  claim b gets node-1/whole-0
