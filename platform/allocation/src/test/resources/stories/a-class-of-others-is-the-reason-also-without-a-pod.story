given  claims wait for consumers
given  class nic is given by others
given  class gpu
given  node-1 with 1 gpu and 1 nic
when   claim a wants 1 nic                    then  waits: Unmanaged
when   claim b wants 1 gpu for an administrator   then  waits: AdminAccessDenied
when   claim c wants 1 gpu
and    claim c is being deleted               then  claim c waits: Terminating
