given  the cell requires the sync of every kind
given  class gpu exists
given  node-1 joins with 2 gpu
given  sync of every kind completes
given  claim a requests 1 gpu
when   the watch of Node becomes stale
and    claim b requests 1 gpu
then   claim b is pending: SourcesNotSynced
and    claim a is allocated: node-1/gpu-0

when   sync of Node completes
then   claim b is allocated: node-1/gpu-1
