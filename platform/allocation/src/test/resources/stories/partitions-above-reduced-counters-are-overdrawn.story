given  class half exists
given  class slice exists
given  node-1 is ready
given  node-1 publishes %gpu memory=9 in a new generation, slice a of 2
given  node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1 in the same generation, slice b of 2
given  claim a requests 1 half
given  claim b requests 1 half
given  the API server stores the allocation of claim a
when   node-1 publishes %gpu memory=6 in a new generation, slice a of 2
then   the cell changes no alarm

when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1 in the same generation, slice b of 2
then   the cell raises an alarm: node-1/half-0 is overdrawn
and    the cell raises an alarm: node-1/half-1 is overdrawn
and    node-1/half-0 is allocated to claim a

when   claim c requests 1 slice
then   claim c is pending: CountersExhausted
and    the cell changes no alarm

when   claim b is deleted
then   the cell clears an alarm: node-1/half-0 is overdrawn
and    the cell clears an alarm: node-1/half-1 is overdrawn
and    claim c is allocated: node-1/slice-0

when   node-1 publishes %gpu memory=4 in a new generation, slice a of 2
when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1 in the same generation, slice b of 2
then   the cell raises an alarm: node-1/half-0 is overdrawn
and    the cell raises an alarm: node-1/slice-0 is overdrawn

when   node-1 publishes %gpu memory=5 in a new generation, slice a of 2
then   the cell clears an alarm: node-1/slice-0 is overdrawn

when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1 in the same generation, slice b of 2
then   the cell changes no alarm
