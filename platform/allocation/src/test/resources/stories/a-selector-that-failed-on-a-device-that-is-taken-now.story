# Under first fit a selector that fails ends the search, but devices in use are passed over before any selector runs.
given  class gpu
given  policy first-fit
given  node-1 with 3 gpu
given  claim a wants 1 gpu
when   claim touchy wants 1 gpu [fail-on:gpu-1]    then  waits: request r0: selector #0 on device driver.example/node-1/gpu-1
when   claim b wants 1 gpu                         then  claim b gets node-1/gpu-1    and  claim touchy gets node-1/gpu-2
