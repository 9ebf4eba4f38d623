given  class gpu
given  node-1 with 2 gpu
given  template t wants 1 gpu
given  groups may share claims
given  group trainers shares template t
when   pod p of group trainers uses template t
and    the claims of pod p are those of group trainers     then  pod p can run on node-1    and  claim p-use-0 is for trainers
when   pod q of group trainers uses template t
and    the claims of pod q are those of group others       then  pod q waits: claim default/q-use-0 was not created for pod default/q: it belongs to PodGroup others
