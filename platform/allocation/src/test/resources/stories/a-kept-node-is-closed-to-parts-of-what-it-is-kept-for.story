# Whole and part are two devices, and take of the same counters: who takes the part has the whole in hand.
given  class whole
given  class part
given  at most 1 may overtake
given  node-1 is ready
given  node-1 publishes %card memory=4, first of 2 slices
given  node-1 publishes whole-0 -card:memory=4, part-0 -card:memory=1, part-1 -card:memory=1, part-2 -card:memory=1, slice b of 2
given  claim a wants 1 part
when   claim large wants 1 whole     then  waits
when   claim b wants 1 part          then  claim b gets node-1/part-1    and  node-1 is kept for claim large
when   claim c wants 1 part          then  claim c waits: the nodes that fit are earmarked for an older item
when   claim a is deleted            then  claim c waits
when   claim b is deleted            then  claim large gets node-1/whole-0
