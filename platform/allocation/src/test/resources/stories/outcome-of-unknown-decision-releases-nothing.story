given  class gpu exists
given  node-1 joins with 1 gpu
when   claim a requests 1 gpu
then   claim a is allocated: node-1/gpu-0

when   claim a changes
then   the cell renews the decision on claim a

when   the writer reports decision 1 on claim a as rejected
then   the cell emits no output
and    the cell ignores the observation as stale

when   the writer reports decision 1 on claim a as committed
then   the cell emits no output
and    the cell ignores only repetitions

when   the writer reports decision 0 on claim a as rejected
then   the cell emits no output
and    the cell ignores the observation as unknown-decision

when   the writer reports decision 3 on claim a as rejected
then   the cell emits no output
and    the cell ignores the observation as unknown-decision

when   the writer reports decision 3 on claim a as committed
then   the cell emits no output
and    the cell ignores the observation as unknown-decision
and    node-1/gpu-0 is allocated to claim a

when   the writer reports decision 2 on claim a as rejected
then   claim a is pending: Rejected
and    node-1/gpu-0 is free
