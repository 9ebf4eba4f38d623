# Claims without a pod are allocated immediately.
# A later pod that uses both claims has no node.
given  class gpu exists
given  the policy is first-fit
given  node-1 joins with 1 gpu
given  node-2 joins with 2 gpu
given  claim one requests 1 gpu
given  claim two requests 2 gpu
when   pod p uses claim one and claim two
then   pod p is pending: node node-1, the only one for the pod or its other claims, is not usable: other claims of the pod are allocated elsewhere
