given  class gpu exists
given  node-1 joins with gpu-0 memory:80Gi +shared
when   claim a requests 1 gpu (memory:90Gi)
then   claim a is pending: request r0 asks for 90Gi of memory, and gpu-0 has 80Gi in all
and    claim a is pending: CapacityExceeded

when   claim b requests 1 gpu (memory:50Gi)
then   claim b is allocated: node-1/gpu-0

when   claim c requests 1 gpu (memory:40Gi)
then   claim c is pending: request r0 asks for 40Gi of memory, 30Gi of 80Gi is left on gpu-0

when   node-1 publishes gpu-0 memory:120Gi +shared
then   claim c is allocated: node-1/gpu-0
