given  class gpu exists
given  node-1 joins with 1 gpu
given  node-9 joins with 1 gpu
given  claim e1 requests 1 gpu [n=1]
given  claim e2 requests 1 gpu [n=2]
given  claim e3 requests 1 gpu [n=3]
given  claim e4 requests 1 gpu [n=4]
given  claim e5 requests 1 gpu [n=5]
given  claim e6 requests 1 gpu [n=6]
given  claim e7 requests 1 gpu [n=7]
given  claim e8 requests 1 gpu [n=8]
given  the work budget is 150 units per input and 1500 units per slice
when   claim solo requests 1 gpu
when   node-9 is cordoned
when   1 work slice runs
when   node-9 is uncordoned
when   node-9 is uncordoned
when   1 work slice runs
when   node-9 is cordoned
when   1 work slice runs
when   node-9 is uncordoned
when   1 work slice runs
when   node-9 is cordoned
when   1 work slice runs
when   node-9 is uncordoned
when   1 work slice runs
when   node-9 is cordoned
when   1 work slice runs
then   claim solo is allocated: node-1/gpu-0
