# Only the list of the next epoch shows that claim a is deleted.
# An observation of the previous epoch is stale by then.
given  class gpu exists
given  node-1 joins with 1 gpu
given  sync of ResourceClaim completes
given  claim a requests 1 gpu
given  claim b requests 1 gpu
when   claim a is deleted without a watch event
then   node-1/gpu-0 is allocated to claim a

when   sync of ResourceClaim completes
then   claim a is no work item
and    claim b is allocated: node-1/gpu-0

when   a stale upsert of claim a arrives
then   the cell emits no output
and    claim a is no work item
and    node-1/gpu-0 is allocated to claim b
and    the cell ignores the observation as stale

when   sync of ResourceClaim completes
then   the cell makes no decision
and    the cell ignores only repetitions
and    node-1/gpu-0 is allocated to claim b
