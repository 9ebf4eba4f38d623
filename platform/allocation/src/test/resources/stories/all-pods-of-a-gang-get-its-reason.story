# Once enough pods exist, all of them are pending for devices.
# This includes the pods that were created while too few existed.
given  class gpu exists
given  node-1 joins with 2 gpu
given  group train has minCount 3
when   pod a of group train uses claim a
and    claim a requests 1 gpu
then   pod a is pending: 1 of the 3 pods that start together exist

when   pod b of group train uses claim b
and    claim b requests 1 gpu
then   pod b is pending: 2 of the 3 pods that start together exist

when   2 seconds pass
then   pod a is pending: 2 of the 3 pods that start together exist
and    the cell explains 1 item

when   pod c of group train uses claim c
and    claim c requests 1 gpu
then   pod a is pending: 2 of the 3 pods that start together fit
and    pod b is pending: 2 of the 3 pods that start together fit
and    pod c is pending: 2 of the 3 pods that start together fit

when   pod c is deleted
and    2 seconds pass
then   pod a is pending: 2 of the 3 pods that start together exist
and    pod b is pending: 2 of the 3 pods that start together exist
and    the cell explains 2 items
