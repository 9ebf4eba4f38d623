given  class gpu exists
given  node-1 joins with 2 gpu
when   pod a of app x, with host port 8080, uses claim a
and    claim a requests 1 gpu
then   pod a is schedulable on node-1

when   pod b of app x, with host port 8080, uses claim b
and    claim b requests 1 gpu
then   pod b is pending: node-1 has the devices, and another pod uses its host port 8080/TCP

when   pod a is deleted
then   pod b is schedulable on node-1
