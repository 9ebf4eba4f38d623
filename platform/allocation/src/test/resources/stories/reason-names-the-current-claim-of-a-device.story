# A device goes to another claim while an older item is pending for more devices.
given  class gpu exists
given  node-1 joins with 3 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim b requests 1 gpu
then   claim b is allocated: node-1/gpu-1

when   claim big requests 3 gpu
then   claim big is pending: 3 gpu in use, nearest: node-1 has 1 of 3, gpu-0 is allocated to default/a (used by no pod), 1 more are allocated

when   claim a is deleted
and    2 seconds pass
then   claim big is pending: nearest: node-1 has 2 of 3, gpu-1 is allocated to default/b

when   claim young requests 1 gpu
then   claim young is allocated: node-1/gpu-0

when   2 seconds pass
then   claim big is pending: nearest: node-1 has 1 of 3, gpu-0 is allocated to default/young (used by no pod), 1 more are allocated
and    the cell explains 1 item
and    no refresh is due

# A probe refreshes the messages at once.
when   claim b is deleted
and    a probe arrives
then   claim big is pending: nearest: node-1 has 2 of 3, gpu-0 is allocated to default/young
