given  class gpu exists
given  node-1 joins with 1 gpu
when   node-1 sends no heartbeats
and    claim a requests 1 gpu
then   claim a is pending: the only node node-1 sends no heartbeats

when   node-1 sends heartbeats
then   claim a is allocated: node-1/gpu-0

when   node-1 sends no heartbeats
then   the cell makes no decision
