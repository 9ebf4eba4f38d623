# Whose business a class is, is said elsewhere than in the class: the watcher lists the classes anew, as they stand, and what was left to others is ours now.
given  class nic is given by others
given  node-1 with 4 nic
given  claim before wants 1 nic
when   pod p uses claim before                      then  pod p waits: kube-scheduler allocates claim default/before: its classes are unmanaged
when   class nic is found to be ours                then  claim before gets node-1/nic-0    and  claim before is for p
given  claim after wants 1 nic
when   pod q uses claim after                       then  claim after gets node-1/nic-1    and  claim after is for q
when   class nic is found to be of others          then  claim after gets node-1/nic-1
given  claim late wants 1 nic
when   pod r uses claim late                        then  pod r waits: kube-scheduler allocates claim default/late: its classes are unmanaged
