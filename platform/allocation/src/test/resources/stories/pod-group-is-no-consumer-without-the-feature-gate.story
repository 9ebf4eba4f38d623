given  claims wait for a consumer
given  class gpu exists
given  node-1 joins with 1 gpu
given  claim shared requests 1 gpu
given  group trainers shares claim shared
when   pod a uses claim shared
then   pod a is schedulable on node-1

when   pod a is deleted
then   the cell revokes claim shared
