# Otherwise a user who may create claims could occupy every device without a pod.
given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 2 gpu
when   claim a requests 1 gpu
then   claim a is pending: NoConsumer
and    claim a is pending: no pod uses claim default/a: create a pod that names it in spec.resourceClaims
and    claim a has no decided allocation

when   node-2 joins with 2 gpu
then   the cell emits no output

when   claim b requests 2 gpu
then   claim b is pending: NoConsumer

when   pod p uses claim a
then   pod p is schedulable on node-1
and    claim a is reserved for p
and    claim b is pending: NoConsumer
