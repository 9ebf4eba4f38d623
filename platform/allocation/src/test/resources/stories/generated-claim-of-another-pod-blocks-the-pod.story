given  class gpu exists
given  node-1 joins with 2 gpu
given  template t requests 1 gpu
when   pod p uses template t
and    the claims of pod p belong to pod q
then   pod p is pending: claim default/p-use-0 was not created for pod default/p: it belongs to Pod q
