given  everything must be listed
given  class gpu
given  node-1 with 2 gpu
given  everything is listed
given  claim a wants 1 gpu
when   Node is known to be old
and    claim b wants 1 gpu          then  claim b waits: SourcesNotSynced    and  claim a gets node-1/gpu-0
when   Node is listed               then  claim b gets node-1/gpu-1
