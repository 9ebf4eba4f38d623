# The whole device and its parts consume the same counters.
# An allocated part therefore blocks the whole device.
given  class whole exists
given  class part exists
given  an item is overtaken at most 1 time
given  node-1 is ready
given  node-1 publishes %card memory=4 in a new generation, slice a of 2
given  node-1 publishes whole-0 -card:memory=4, part-0 -card:memory=1, part-1 -card:memory=1, part-2 -card:memory=1 in the same generation, slice b of 2
given  claim a requests 1 part
when   claim large requests 1 whole
then   claim large is pending

when   claim b requests 1 part
then   claim b is allocated: node-1/part-1
and    node-1 is earmarked for claim large

when   claim c requests 1 part
then   claim c is pending: the nodes that fit are earmarked for an older item

when   claim a is deleted
then   claim c is pending

when   claim b is deleted
then   claim large is allocated: node-1/whole-0
