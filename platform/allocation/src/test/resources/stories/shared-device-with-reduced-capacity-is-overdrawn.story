given  class gpu exists
given  node-1 joins with gpu-0 memory:80Gi +shared
given  claim a requests 1 gpu (memory:50Gi)
given  claim b requests 1 gpu (memory:30Gi)
when   node-1 publishes gpu-0 memory:60Gi +shared
then   the cell raises an alarm: node-1/gpu-0 is overdrawn

when   claim b is deleted
then   the cell clears an alarm: node-1/gpu-0 is overdrawn

when   claim c requests 1 gpu (memory:20Gi)
then   claim c is pending: CapacityExhausted
and    the cell changes no alarm
