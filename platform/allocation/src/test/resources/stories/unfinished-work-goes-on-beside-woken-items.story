given  class gpu
given  node-1 with 1 gpu
given  node-9 with 1 gpu
given  claim e1 wants 1 gpu [n=1]
given  claim e2 wants 1 gpu [n=2]
given  claim e3 wants 1 gpu [n=3]
given  claim e4 wants 1 gpu [n=4]
given  claim e5 wants 1 gpu [n=5]
given  claim e6 wants 1 gpu [n=6]
given  claim e7 wants 1 gpu [n=7]
given  claim e8 wants 1 gpu [n=8]
given  an input may cause 150 units of work and a slice 1500
when   claim solo wants 1 gpu
when   node-9 is cordoned
when   1 slices of work are done
when   node-9 is open
when   node-9 is open
when   1 slices of work are done
when   node-9 is cordoned
when   1 slices of work are done
when   node-9 is open
when   1 slices of work are done
when   node-9 is cordoned
when   1 slices of work are done
when   node-9 is open
when   1 slices of work are done
when   node-9 is cordoned
when   1 slices of work are done
then   claim solo gets node-1/gpu-0
