given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod a uses claim a
then   pod a is schedulable on node-1

# The API server stores other devices than decided, so the writer clears them.
# The watch events of the claim arrive before the commit outcome.
when   the API server stores the allocation of claim a
and    claim a loses its allocation
then   pod a is pending: NodeRejected

when   the writer reports decision 1 on claim a as rejected for claim versions up to +0
then   pod a is pending: Rejected
and    claim a has no decided allocation

when   claim a changes
then   pod a is schedulable on node-1

# The cell allocates the other node to the cleared claim meanwhile.
# That decision has its own commit outcome.
when   node-2 joins with 1 gpu
and    the API server stores the allocation of claim a
and    claim a loses its allocation
then   pod a is schedulable on node-2

when   the writer reports decision 1 on claim a as rejected for claim versions up to +0
then   the cell makes no decision
and    pod a is schedulable on node-2

when   the API server rejects the allocation of claim a for claim versions up to +0
then   pod a is pending: Rejected

when   claim a changes
then   pod a is schedulable on node-1

# The cell retries a claim that has changed after the rejected version.
when   the API server stores the allocation of claim a
and    claim a loses its allocation
and    claim a changes
then   pod a is schedulable on node-2

when   the writer reports decision 1 on claim a as rejected
then   the cell makes no decision
