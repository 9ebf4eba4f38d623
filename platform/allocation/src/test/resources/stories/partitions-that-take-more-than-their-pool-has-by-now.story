given  class half
given  class slice
given  node-1 is ready
given  node-1 publishes %gpu memory=9, first of 2 slices
given  node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1, slice b of 2
given  claim a wants 1 half
given  claim b wants 1 half
given  claim a is confirmed
when   node-1 publishes %gpu memory=6, first of 2 slices    then  no alarm
when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1, slice b of 2
                                    then  an alarm begins: node-1/half-0 is overdrawn
                                    and   an alarm begins: node-1/half-1 is overdrawn
                                    and   node-1/half-0 is held by a
when   claim c wants 1 slice        then  waits: CountersExhausted    and  no alarm
when   claim b is deleted           then  an alarm ends: node-1/half-0 is overdrawn
                                    and   an alarm ends: node-1/half-1 is overdrawn
                                    and   claim c gets node-1/slice-0
when   node-1 publishes %gpu memory=4, first of 2 slices
when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1, slice b of 2
                                    then  an alarm begins: node-1/half-0 is overdrawn
                                    and   an alarm begins: node-1/slice-0 is overdrawn
when   node-1 publishes %gpu memory=5, first of 2 slices
                                    then  an alarm ends: node-1/slice-0 is overdrawn
when   node-1 publishes half-0 -gpu:memory=4, half-1 -gpu:memory=4, slice-0 -gpu:memory=1, slice b of 2
                                    then  no alarm
