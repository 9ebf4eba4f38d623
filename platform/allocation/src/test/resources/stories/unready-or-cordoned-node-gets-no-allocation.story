given  class gpu exists
given  node-1 joins with 1 gpu
when   node-1 is not ready
and    claim a requests 1 gpu
then   claim a is pending: NoUsableNode

when   node-1 is cordoned
then   claim a is pending: NoUsableNode

when   node-1 is uncordoned
then   claim a is allocated: node-1/gpu-0
