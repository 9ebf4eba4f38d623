given  class whole exists
given  class half exists
given  class slice exists
given  node-1 is ready
given  node-1 publishes %gpu memory=8 in a new generation, slice a of 2
given  node-1 publishes whole-0 -gpu:memory=8, half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1 in the same generation, slice b of 2
when   claim a requests 1 half
then   claim a is allocated: node-1/half-0

when   claim b requests 1 whole
then   claim b is pending: no room for 1 whole beside other partitions, nearest: node-1 has 0 of 1, half-0 is allocated to default/a

when   claim c requests 2 half
then   claim c is pending: DevicesInUse

when   claim d requests 1 half and 1 slice
then   claim d is pending: CountersExhausted

when   claim e requests 1 slice
then   claim e is allocated: node-1/slice-0

when   claim a is deleted
then   claim b is pending

when   claim e is deleted
then   claim b is allocated: node-1/whole-0
