given  everything must be listed
given  class gpu
given  node-1 with 1 gpu
when   claim a wants 1 gpu                         then  nothing is said    and  waits: not every source is synced
when   somebody asks whether all is decided        then  no answer
when   everything but Pod is listed                then  claim a waits: SourcesNotSynced
when   Pod is listed                               then  claim a gets node-1/gpu-0    and  answered: 1 granted, 0 waiting
