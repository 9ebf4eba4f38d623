package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.Case.named;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part two: generations, node selection and search order of pools. */
class PoolCasesTest {
    private static final String CLAIM = "req-0: 1 class-a";

    @TestFactory
    Stream<DynamicTest> generations() {
        return Stream.of(
                named("devices-split-across-different-slices")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .claim("req-0: 2 class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .fits(),
                named("obsolete-slice")
                        .part("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .part("slice-2", "pool-1", 2, 1, "node-2", "device-2")
                        .claim("req-0: 1 class-a [x=1]")
                        .misses(Reason.SelectorFalse),
                named("a node whose own slices are complete by number looks no further for a newer generation")
                        .part("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .part("slice-2", "pool-1", 2, 1, "node-2", "device-2")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("duplicate-slice")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-1", "device-1")
                        .claim(CLAIM)
                        .fails(Reason.PoolInvalid, "invalid resource pools were encountered"),
                named("invalid-pool-is-ok-if-devices-can-be-allocated-from-other")
                        .part("slice-1", "pool-1", 1, 1, "node-1", "device-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-2/device-1")
                        .fits(),
                named("invalid-pool-is-error-if-no-other-device-can-be-allocated")
                        .part("slice-1", "pool-1", 1, 1, "node-1", "device-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .fails(Reason.PoolInvalid, "invalid resource pools were encountered"),
                named("no-allocation-from-incomplete-pools")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .claim(CLAIM)
                        .misses(Reason.PoolIncomplete),
                named("more slices than announced are incomplete too")
                        .part("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 1, "node-1", "device-2")
                        .claim(CLAIM)
                        .misses(Reason.PoolIncomplete),
                named("multi-host-resource-pool-with-stale-slice-for-current-node")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .part("slice-3", "pool-1", 2, 2, "node-2", "device-3")
                        .claim(CLAIM)
                        .misses(Reason.NoUsableNode),
                named("multi-host-resource-pool-complete-update-from-node-1-to-node-2")
                        .part("slice-1", "pool-1", 2, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("multi-host-resource-pool-incomplete-update-from-node-2-to-node-1")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .misses(Reason.NoUsableNode),
                named("different-resourceslices-in-pool-can-target-different-nodes")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("one device name on two nodes of a pool is no contradiction")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-2", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits());
    }

    @TestFactory
    Stream<DynamicTest> reach() {
        return Stream.of(
                named("network-attached-device")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .reachedFrom("region In [region-1]")
                        .fits(),
                named("unsuccessful-allocation-network-attached-device")
                        .poolOn("region=region-2", "pool-1", "device-1")
                        .claim(CLAIM)
                        .misses(Reason.NoUsableNode),
                named("many-network-attached-devices")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .poolOn("region=region-1", "pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-2/device-1")
                        .reachedFrom("region In [region-1]")
                        .fits(),
                named("local-and-network-attached-devices")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-2/device-1")
                        .reachedFrom("metadata.name In [node-1]")
                        .fits(),
                named("all nodes add nothing to the selector")
                        .poolOn("*", "pool-1", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .reachedFrom("")
                        .fits(),
                named("node-restriction")
                        .poolOn("*", "pool-1", "device-1 +binds")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .reachedFrom("metadata.name In [node-1]")
                        .fits(),
                named("a slice that says nothing of nodes is not there")
                        .poolOn("?", "pool-1", "device-1")
                        .claim(CLAIM)
                        .misses(Reason.NoUsableNode),
                named("partitionable-devices-per-device-node-selection-nodename")
                        .poolOn("devices", "pool-1", "device-1 @node-2", "device-2 @node-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-2")
                        .reachedFrom("metadata.name In [node-1]")
                        .fits(),
                named("partitionable-devices-per-device-node-selection-node-selector")
                        .poolOn("devices", "pool-1", "device-1 @region=region-2", "device-2 @region=region-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-2")
                        .reachedFrom("region In [region-1]")
                        .fits(),
                named("selectors run on devices of other nodes where devices say it for themselves")
                        .poolOn("devices", "pool-1", "device-1 @node-2", "device-2 @node-1")
                        .claim("req-0: 1 class-a [fail-on:device-1]")
                        .fails(Reason.SelectorError, "no such key"));
    }

    @TestFactory
    Stream<DynamicTest> order() {
        return Stream.of(
                named("lexicographical-sorting-pools")
                        .pool("pool-2", "device-1")
                        .pool("pool-1", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("lexicographical-sorting-slices")
                        .part("slice-2", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-2")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-2")
                        .fits(),
                named("lexicographical-sorting-pools-with-binding-conditions")
                        .pool("pool-1", "device-1 ?ready")
                        .pool("pool-2", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-2/device-1")
                        .fits(),
                named("lexicographical-sorting-slices-with-binding-conditions")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1 ?ready")
                        .part("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("binding-conditions-with-and-without")
                        .pool("pool-1", "device-1 ?ready", "device-2")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 3 class-a")
                        .gives("req-0 pool-2/device-1", "req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .fits(),
                named("devices in the order of their list")
                        .pool("pool-1", "device-2", "device-1")
                        .claim(CLAIM)
                        .gives("req-0 pool-1/device-2")
                        .fits());
    }
}
