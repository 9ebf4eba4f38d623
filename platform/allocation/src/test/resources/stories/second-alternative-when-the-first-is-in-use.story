given  class big exists
given  class small exists
given  node-1 joins with 1 big and 2 small
when   claim a requests 1 big or 2 small
then   claim a is allocated: node-1/big-0

when   claim b requests 1 big or 2 small
then   claim b is allocated: node-1/small-0, node-1/small-1
and    the message of claim b contains alternative 2, small

when   claim c requests 1 big or 2 small
then   claim c is pending: DevicesInUse

when   claim a is deleted
then   claim c is allocated: node-1/big-0
