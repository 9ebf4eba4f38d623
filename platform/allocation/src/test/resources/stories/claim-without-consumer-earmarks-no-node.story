# Other items do not overtake the claim, and no node is earmarked for it.
# The position of its pod in the scheduling queue follows from the creation of the pod.
given  claims wait for a consumer
given  class gpu exists
given  an item is overtaken at most 2 times
given  node-1 joins with 2 gpu
given  claim large requests 2 gpu
given  5 claims small request 1 gpu
when   pod a uses claim small-0
then   pod a is schedulable on node-1

when   pod b uses claim small-1
then   pod b is schedulable on node-1

when   pod b is deleted
and    claim small-1 is deleted
then   claim large is pending: NoConsumer

when   pod c uses claim small-2
then   pod c is schedulable on node-1
and    no node is earmarked

when   pod large uses claim large
then   pod large is pending: DevicesInUse
and    no node is earmarked

when   pod c is deleted
and    claim small-2 is deleted
and    pod d uses claim small-3
then   pod d is schedulable on node-1
and    no node is earmarked
