given  class gpu exists
given  node-1 joins with 1 gpu
given  a DeviceTaintRule taints node-1/gpu-0 with dead:NoExecute
when   claim a requests 1 gpu
then   claim a is pending: gpu-0 of node node-1 carries the taint dead:NoExecute, which request r0 does not tolerate

when   the DeviceTaintRule is deleted
then   claim a is allocated: node-1/gpu-0

when   a DeviceTaintRule taints node-1/gpu-0 with dead:NoExecute
then   the cell makes no decision

when   claim a is deleted
and    claim b requests 1 gpu
then   claim b is pending: Tainted

when   claim c requests 1 gpu tolerating dead
then   claim c is allocated: node-1/gpu-0
