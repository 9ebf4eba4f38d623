given  class gpu exists
given  node-1 joins with 1 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim a changes
then   the cell renews the decision on claim a

# The writer does not commit the renewed decision, because its clearing changed the claim again.
when   the writer reports decision 1 on claim a as rejected for claim versions up to +2
then   claim a is pending: Rejected
and    node-1/gpu-0 is free
