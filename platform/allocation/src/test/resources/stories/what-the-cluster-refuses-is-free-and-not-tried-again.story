given  class gpu
given  node-1 with 1 gpu
when   claim a wants 1 gpu                            then  gets node-1/gpu-0
when   the cluster refuses what claim a gets          then  waits: a policy forbids it    and  node-1/gpu-0 is free
when   claim b wants 1 gpu                            then  claim b gets node-1/gpu-0
when   claim b is deleted                             then  claim a waits: Rejected
when   claim a is deleted
and    claim a wants 1 gpu                            then  claim a gets node-1/gpu-0
when   word comes late that the first answer to claim a was refused    then  node-1/gpu-0 is held by a
