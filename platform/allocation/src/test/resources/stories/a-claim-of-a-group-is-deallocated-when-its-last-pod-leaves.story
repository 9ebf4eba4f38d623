given  groups may share claims
given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim shared wants 1 gpu
given  group trainers shares claim shared
when   pod a of group trainers uses claim shared
then   claim shared is for trainers
given  claim shared is confirmed
given  pod a is bound to node-1
given  node-1 is cordoned
when   gated pod b of group trainers that must run on node-2 uses claim shared
then   no claim is deallocated
when   pod a finishes
then   claim shared is deallocated for pod b
