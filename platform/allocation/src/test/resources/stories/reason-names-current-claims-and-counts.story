# One second after a change, the messages describe the current state.
# The reason code is the same, and the cell repeats no decision.
given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 2 gpu
then   claim a is allocated: node-1/gpu-0, node-1/gpu-1

when   claim big requests 2 gpu
then   claim big is pending: 2 gpu in use, nearest: node-1 has 0 of 2, gpu-0 is allocated to default/a

when   2 seconds pass
then   the cell explains 0 items
and    no refresh is due

when   node-2 joins with 1 gpu
and    claim c requests 1 gpu
then   claim c is allocated: node-2/gpu-0

when   claim a is deleted
and    claim first requests 1 gpu
then   claim big is allocated: node-1/gpu-0, node-1/gpu-1
and    claim first is pending: nearest: node-1 has 0 of 1, gpu-0 is allocated to default/big

# Another claim gets the devices.
when   claim c is deleted
then   claim first is allocated: node-2/gpu-0

when   claim last requests 2 gpu
then   claim last is pending: allocated to default/big

when   claim big is deleted
then   claim last is allocated: node-1/gpu-0, node-1/gpu-1

when   claim huge requests 3 gpu
then   claim huge is pending: 3 gpu on one node, the largest has 2 in all

# A node joins, and none of its devices stays free.
when   node-3 joins with 3 gpu
then   claim huge is allocated: node-3/gpu-0, node-3/gpu-1, node-3/gpu-2

when   claim giant requests 5 gpu
then   claim giant is pending: 5 gpu on one node, the largest has 3 in all

when   node-4 joins with 4 gpu
and    2 seconds pass
then   claim giant is pending: 5 gpu on one node, the largest has 4 in all
and    the cell explains 1 item
and    the cell makes no decision

when   2 seconds pass
then   the cell emits no output
