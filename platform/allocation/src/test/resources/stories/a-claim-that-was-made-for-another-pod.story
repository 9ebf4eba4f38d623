given  class gpu
given  node-1 with 2 gpu
given  template t wants 1 gpu
when   pod p uses template t
and    the claims of pod p are those of pod q     then  pod p waits: claim default/p-use-0 was not created for pod default/p: it belongs to Pod q
