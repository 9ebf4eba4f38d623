given  class big
given  class small
given  node-1 with 1 big and 2 small
when   claim a wants 1 big or 2 small    then  gets node-1/big-0
when   claim b wants 1 big or 2 small    then  gets node-1/small-0 node-1/small-1    and  because alternative 2, small
when   claim c wants 1 big or 2 small    then  waits: DevicesInUse
when   claim a is deleted                then  claim c gets node-1/big-0
