package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.UpstreamCase.testCase;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part two: generations, node selection and search order of pools. */
class PoolCasesTest {
    private static final String CLAIM = "req-0: 1 class-a";

    @TestFactory
    Stream<DynamicTest> usesCompletePoolsOfNewestGeneration() {
        return Stream.of(
                testCase("devices-split-across-different-slices")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .claim("req-0: 2 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("obsolete-slice")
                        .slice("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 2, 1, "node-2", "device-2")
                        .claim("req-0: 1 class-a [x=1]")
                        .shouldStayPending(Reason.SelectorMatchesNoDevice),
                testCase("a node whose own slices are complete by number looks no further for a newer generation")
                        .slice("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 2, 1, "node-2", "device-2")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("duplicate-slice")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-1", "device-1")
                        .claim(CLAIM)
                        .shouldFail(Reason.PoolInvalid, "invalid resource pools were encountered"),
                testCase("invalid-pool-is-ok-if-devices-can-be-allocated-from-other")
                        .slice("slice-1", "pool-1", 1, 1, "node-1", "device-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-2/device-1")
                        .shouldAllocate(),
                testCase("invalid-pool-is-error-if-no-other-device-can-be-allocated")
                        .slice("slice-1", "pool-1", 1, 1, "node-1", "device-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .shouldFail(Reason.PoolInvalid, "invalid resource pools were encountered"),
                testCase("no-allocation-from-incomplete-pools")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.PoolIncomplete),
                testCase("more slices than announced are incomplete too")
                        .slice("slice-1", "pool-1", 1, 1, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 1, "node-1", "device-2")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.PoolIncomplete),
                testCase("multi-host-resource-pool-with-stale-slice-for-current-node")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .slice("slice-3", "pool-1", 2, 2, "node-2", "device-3")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.NoUsableNode),
                testCase("multi-host-resource-pool-complete-update-from-node-1-to-node-2")
                        .slice("slice-1", "pool-1", 2, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("multi-host-resource-pool-incomplete-update-from-node-2-to-node-1")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 2, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.NoUsableNode),
                testCase("different-resourceslices-in-pool-can-target-different-nodes")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-2", "device-2")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("one device name on two nodes of a pool is no contradiction")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-2", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate());
    }

    @TestFactory
    Stream<DynamicTest> respectsNodeSelection() {
        return Stream.of(
                testCase("network-attached-device")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .expectNodeSelector("region In [region-1]")
                        .shouldAllocate(),
                testCase("unsuccessful-allocation-network-attached-device")
                        .poolOn("region=region-2", "pool-1", "device-1")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.NoUsableNode),
                testCase("many-network-attached-devices")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .poolOn("region=region-1", "pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-2/device-1")
                        .expectNodeSelector("region In [region-1]")
                        .shouldAllocate(),
                testCase("local-and-network-attached-devices")
                        .poolOn("region=region-1", "pool-1", "device-1")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 2 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-2/device-1")
                        .expectNodeSelector("metadata.name In [node-1]")
                        .shouldAllocate(),
                testCase("all nodes add nothing to the selector")
                        .poolOn("*", "pool-1", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .expectNodeSelector("")
                        .shouldAllocate(),
                testCase("node-restriction")
                        .poolOn("*", "pool-1", "device-1 +binds")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .expectNodeSelector("metadata.name In [node-1]")
                        .shouldAllocate(),
                testCase("a slice that says nothing of nodes is not there")
                        .poolOn("?", "pool-1", "device-1")
                        .claim(CLAIM)
                        .shouldStayPending(Reason.NoUsableNode),
                testCase("partitionable-devices-per-device-node-selection-nodename")
                        .poolOn("devices", "pool-1", "device-1 @node-2", "device-2 @node-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-2")
                        .expectNodeSelector("metadata.name In [node-1]")
                        .shouldAllocate(),
                testCase("partitionable-devices-per-device-node-selection-node-selector")
                        .poolOn("devices", "pool-1", "device-1 @region=region-2", "device-2 @region=region-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-2")
                        .expectNodeSelector("region In [region-1]")
                        .shouldAllocate(),
                testCase("selectors run on devices of other nodes where devices say it for themselves")
                        .poolOn("devices", "pool-1", "device-1 @node-2", "device-2 @node-1")
                        .claim("req-0: 1 class-a [fail-on:device-1]")
                        .shouldFail(Reason.SelectorError, "no such key"));
    }

    @TestFactory
    Stream<DynamicTest> triesPoolsAndDevicesInOrder() {
        return Stream.of(
                testCase("lexicographical-sorting-pools")
                        .pool("pool-2", "device-1")
                        .pool("pool-1", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("lexicographical-sorting-slices")
                        .slice("slice-2", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-2")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("lexicographical-sorting-pools-with-binding-conditions")
                        .pool("pool-1", "device-1 ?ready")
                        .pool("pool-2", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-2/device-1")
                        .shouldAllocate(),
                testCase("lexicographical-sorting-slices-with-binding-conditions")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1 ?ready")
                        .slice("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("binding-conditions-with-and-without")
                        .pool("pool-1", "device-1 ?ready", "device-2")
                        .pool("pool-2", "device-1")
                        .claim("req-0: 3 class-a")
                        .expectDevices("req-0 pool-2/device-1", "req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("devices in the order of their list")
                        .pool("pool-1", "device-2", "device-1")
                        .claim(CLAIM)
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate());
    }
}
