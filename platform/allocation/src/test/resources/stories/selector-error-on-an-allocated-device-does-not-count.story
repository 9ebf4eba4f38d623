# Under first fit, the error of a selector ends the search.
# The search skips allocated devices before any selector runs.
given  class gpu exists
given  the policy is first-fit
given  node-1 joins with 3 gpu
given  claim a requests 1 gpu
when   claim touchy requests 1 gpu [fail-on:gpu-1]
then   claim touchy is pending: request r0: selector #0 on device driver.example/node-1/gpu-1

when   claim b requests 1 gpu
then   claim b is allocated: node-1/gpu-1
and    claim touchy is allocated: node-1/gpu-2
