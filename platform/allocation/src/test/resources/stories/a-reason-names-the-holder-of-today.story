# A device changes hands while the older item keeps waiting for more than is free.
given  class gpu
given  node-1 with 3 gpu
when   claim a wants 1 gpu                 then  gets node-1/gpu-0
when   claim b wants 1 gpu                 then  gets node-1/gpu-1
when   claim big wants 3 gpu               then  waits: 3 gpu in use, nearest: node-1 has 1 of 3, gpu-0 is held by default/a (used by no pod), 1 more are held
when   claim a is deleted
and    2 seconds pass                      then  claim big waits: nearest: node-1 has 2 of 3, gpu-1 is held by default/b
when   claim young wants 1 gpu             then  gets node-1/gpu-0
when   2 seconds pass                      then  claim big waits: nearest: node-1 has 1 of 3, gpu-0 is held by default/young (used by no pod), 1 more are held
                                           and   1 items are explained
                                           and   no refresh is due
# whoever asks whether all is decided gets the words of that moment
when   claim b is deleted
and    somebody asks whether all is decided  then  claim big waits: nearest: node-1 has 2 of 3, gpu-0 is held by default/young
