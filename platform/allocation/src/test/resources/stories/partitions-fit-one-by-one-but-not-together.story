given  class half exists
given  class third exists
given  node-1 is ready
given  node-1 publishes %card units=4 in a new generation, slice a of 2
given  node-1 publishes half-0 -card:units=2, half-1 -card:units=2, third-0 -card:units=3 in the same generation, slice b of 2
when   claim a requests 1 half and 1 third
then   claim a is pending: no node has 1 half + 1 third together: on node-1, half-0 and third-0 consume 5 of counter card/units, which has 4
and    claim a is pending: CountersExceeded

when   claim b requests 1 half
then   claim b is allocated: node-1/half-0

when   claim c requests 1 third
then   claim c is pending: third-0 consumes 3 of counter card/units, 2 of 4 is left
and    claim c is pending: CountersExhausted

when   claim b is deleted
then   claim c is allocated: node-1/third-0
