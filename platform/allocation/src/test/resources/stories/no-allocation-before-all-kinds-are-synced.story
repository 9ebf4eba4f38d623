given  the cell requires the sync of every kind
given  class gpu exists
given  node-1 joins with 1 gpu
when   claim a requests 1 gpu
then   the cell emits no output
and    claim a is pending: not every source is synced

when   a probe arrives
then   the probe has no answer

when   sync of every kind except Pod completes
then   claim a is pending: SourcesNotSynced

when   sync of Pod completes
then   claim a is allocated: node-1/gpu-0
and    the probe answer is 1 allocated and 0 pending
