# The claim needs three distinct values, and the six devices have only two.
# A large search budget proves this, and a small one does not.
given  class gpu exists
given  the policy is first-fit
given  node-1 joins with gpu-0 n=0, gpu-1 n=0, gpu-2 n=0, gpu-3 n=1, gpu-4 n=1, gpu-5 n=1
given  the search budget is 1 step
when   claim hard requests 3 gpu with distinct n
then   claim hard is pending: search budget exhausted: no result within 1 steps on a node
and    the search takes 12 to 13 steps    # one search, and one with ten times the budget

when   the last upsert of claim hard arrives again
then   the cell emits no output

when   node-2 joins with 1 gpu
then   claim hard is pending: SearchBudgetExhausted
and    the search takes 3 to 8 steps    # no second search with ten times the budget

when   the search budget is 1000 steps
then   claim hard is pending: no node has 3 gpu with the constraint on distinct n

when   the search budget is 2 steps
and    claim easy requests 2 gpu with distinct n
then   claim easy is allocated: node-1/gpu-0, node-1/gpu-3    # the larger budget suffices
