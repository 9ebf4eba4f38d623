given  class gpu
given  node-1 with 1 gpu
given  node-2 with 1 gpu
given  claim a wants 1 gpu
given  somebody else gives node-1/gpu-0 to claim a
given  everything must be listed
given  everything is listed
when   node-1 withdraws its devices                        then  no claim is deallocated
when   gated pod p uses claim a                            then  claim a is deallocated for pod p
when   claim a is cleared                                  then  pod p can run on node-2
# where no other device is free, it waits for its own
given  claim b wants 1 gpu
given  node-3 with 1 gpu
given  somebody else gives node-3/gpu-0 to claim b
given  node-3 withdraws its devices
when   gated pod q uses claim b                            then  no claim is deallocated    and  pod q waits: DeviceNotPublished
when   node-3 publishes 1 gpu                              then  pod q can run on node-3
