given  claims wait for consumers
given  class gpu
given  node-1 with 1 gpu
given  claim shared wants 1 gpu
given  group trainers shares claim shared
when   pod a uses claim shared     then  pod a can run on node-1
when   pod a is deleted            then  claim shared is revoked
