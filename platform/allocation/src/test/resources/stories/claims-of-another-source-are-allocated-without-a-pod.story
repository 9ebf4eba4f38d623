given  claims wait for consumers
given  class gpu
given  node-1 with 2 gpu
when   claim a wants 1 gpu                        then  claim a waits: NoConsumer
when   stranger asks with claim theirs for 1 gpu  then  node-1/gpu-0 is held by theirs
when   pod p uses claim theirs                    then  node-1/gpu-0 is held by theirs
when   pod p is deleted                           then  node-1/gpu-0 is held by theirs    and  claim a waits: NoConsumer
