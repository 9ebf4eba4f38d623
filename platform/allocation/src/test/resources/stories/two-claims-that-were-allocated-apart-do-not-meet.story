# Claims that stand alone are allocated at once; a pod that comes later and wants both has no node.
given  class gpu
given  policy first-fit
given  node-1 with 1 gpu
given  node-2 with 2 gpu
given  claim one wants 1 gpu
given  claim two wants 2 gpu
when   pod p uses claim one and claim two    then  pod p waits: node node-1, the only one for the pod or its other claims, is not usable: other claims of the pod are allocated elsewhere
