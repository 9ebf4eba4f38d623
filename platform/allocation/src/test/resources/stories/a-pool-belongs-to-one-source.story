# The configured source counts before any other, then the least name; in which order they spoke does not matter.
given  class gpu
given  everything must be listed
given  node-1 with 1 gpu
given  everything is listed
when   stranger publishes 4 gpu in pool node-1
and    claim a wants 2 gpu                                    then  waits: the largest has 1
when   node-1 withdraws its devices                           then  claim a gets node-1/gpu-0 node-1/gpu-1
when   claim b wants 3 gpu                                    then  claim b waits
when   agent publishes 6 gpu in pool node-1                   then  claim b gets node-1/gpu-2 node-1/gpu-3 node-1/gpu-4
given  claim a is confirmed
given  claim b is confirmed
when   node-1 publishes 1 gpu                                 then  an alarm begins: node-1/gpu-4 is lost
when   agent withdraws pool node-1                            then  no alarm
