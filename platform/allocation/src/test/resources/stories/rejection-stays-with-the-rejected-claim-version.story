given  class gpu exists
given  node-1 joins with 1 gpu
given  claim a requests 1 gpu
when   pod a uses claim a
then   pod a is schedulable on node-1

# The API server stored other devices than decided, and the writer cleared them.
# The cell has not observed these two changes yet.
when   the API server rejects the allocation of claim a for claim versions up to +2
then   pod a is pending: a policy forbids it

when   kube-scheduler allocates node-1/gpu-0 to claim a for pod a
then   pod a is pending: a policy forbids it

when   claim a loses its allocation
then   pod a is pending: a policy forbids it
and    node-1/gpu-0 is free

when   the last upsert of claim a arrives again
then   pod a is pending: Rejected

when   claim a changes
then   pod a is schedulable on node-1

# The same, but the watch event of the claim arrives first.
when   kube-scheduler allocates node-1/gpu-0 to claim a for pod a
and    the API server rejects the allocation of claim a for claim versions up to +1
then   pod a is pending: a policy forbids it

when   claim a loses its allocation
then   pod a is pending: a policy forbids it

when   claim a changes
then   pod a is schedulable on node-1

# A rejection of an older version does not apply to the changed claim.
when   the API server stores the allocation of claim a
and    claim a loses its allocation
and    claim a changes
and    30 seconds pass
then   pod a is schedulable on node-1
