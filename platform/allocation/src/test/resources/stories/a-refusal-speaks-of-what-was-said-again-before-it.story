given  class gpu
given  node-1 with 1 gpu
when   claim a wants 1 gpu    then  claim a gets node-1/gpu-0
when   claim a changes        then  claim a is given the same again
# it is not carried out any more, as the claim has changed once more when it was cleared
when   word comes late that the first answer to claim a was refused, up to 2 changes from now    then  claim a waits: Rejected    and  node-1/gpu-0 is free
