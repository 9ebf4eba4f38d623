given  class gpu exists
given  node-1 joins with 1 gpu
given  claim first requests 1 gpu
given  claim low-claim requests 1 gpu
given  claim high-claim requests 1 gpu
when   pod low with priority 1 uses claim low-claim
then   pod low is pending: DevicesInUse

when   pod high with priority 9 uses claim high-claim
then   pod high is pending: DevicesInUse

when   claim first is deleted
then   claim high-claim is allocated: node-1/gpu-0
and    pod high is schedulable on node-1
and    pod low is pending
