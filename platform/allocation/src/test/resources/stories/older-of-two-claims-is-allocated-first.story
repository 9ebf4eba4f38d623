given  class gpu exists
given  node-1 joins with 1 gpu
given  claim holder requests 1 gpu
given  claim older requests 1 gpu
given  claim younger requests 1 gpu
when   claim holder is deleted
then   claim older is allocated: node-1/gpu-0
and    claim younger is pending
