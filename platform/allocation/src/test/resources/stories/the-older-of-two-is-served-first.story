given  class gpu
given  node-1 with 1 gpu
given  claim holder wants 1 gpu
given  claim older wants 1 gpu
given  claim younger wants 1 gpu
when   claim holder is deleted    then  claim older gets node-1/gpu-0    and  claim younger waits
