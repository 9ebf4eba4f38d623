# The management of a class is configured outside the class.
# After a change of this configuration, the watcher relists the unchanged classes.
# Claimstream then allocates claims that it left to kube-scheduler before.
given  class nic is unmanaged
given  node-1 joins with 4 nic
given  claim before requests 1 nic
when   pod p uses claim before
then   pod p is pending: kube-scheduler allocates claim default/before: its classes are unmanaged

when   class nic becomes managed
then   claim before is allocated: node-1/nic-0
and    claim before is reserved for p

given  claim after requests 1 nic
when   pod q uses claim after
then   claim after is allocated: node-1/nic-1
and    claim after is reserved for q

when   class nic becomes unmanaged
then   claim after is allocated: node-1/nic-1

given  claim late requests 1 nic
when   pod r uses claim late
then   pod r is pending: kube-scheduler allocates claim default/late: its classes are unmanaged
