given  claims wait for a consumer
given  class nic is unmanaged
given  class gpu exists
given  node-1 joins with 1 gpu and 1 nic
when   claim a requests 1 nic
then   claim a is pending: Unmanaged

when   claim b requests 1 gpu with admin access
then   claim b is pending: AdminAccessDenied

when   claim c requests 1 gpu
and    claim c is terminating
then   claim c is pending: Terminating
