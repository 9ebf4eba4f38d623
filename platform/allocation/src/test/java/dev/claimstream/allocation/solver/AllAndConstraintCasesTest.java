package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.UpstreamCase.testCase;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part three: allocation mode All and constraints. */
class AllAndConstraintCasesTest {
    private static final String[] TWO = {"device-1", "device-2"};

    @TestFactory
    Stream<DynamicTest> allocatesAllDevices() {
        return Stream.of(
                testCase("all-devices-single")
                        .pool("pool-1", "device-1")
                        .claim("req-0: all class-a")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("all-devices-many")
                        .pool("pool-1", TWO)
                        .pool("pool-2", "device-1")
                        .claim("req-0: all class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2", "req-0 pool-2/device-1")
                        .shouldAllocate(),
                testCase("all-devices-of-the-incomplete-pool")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .claim("req-0: all class-a")
                        .shouldFail(
                                Reason.PoolIncomplete,
                                "asks for all devices, but resource pool driver.example/pool-1 is currently being updated"),
                testCase("all devices where a pool of another driver is incomplete")
                        .pool("pool-1", "device-1 kind=gpu")
                        .slice("slice-9", "pool-9", 1, 2, "node-1", "device-1 kind=nic")
                        .claim("req-0: all class-a [kind=gpu]")
                        .shouldFail(Reason.PoolIncomplete, "driver.example/pool-9"),
                testCase("all devices where a pool is invalid")
                        .pool("pool-1", "device-1")
                        .pool("pool-2", "device-1", "device-1")
                        .claim("req-0: all class-a")
                        .shouldFail(Reason.PoolInvalid, "driver.example/pool-2"),
                testCase("all-devices-plus-another")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b")
                        .claim("req-0: all class-a [kind=a]; req-1: 1 class-a [kind=b]")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("all-devices-plus-another-reversed")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b")
                        .claim("req-0: 1 class-a [kind=b]; req-1: all class-a [kind=a]")
                        .expectDevices("req-0 pool-1/device-2", "req-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("all-devices-many-plus-another")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b", "device-3 kind=a")
                        .claim("req-0: all class-a [kind=a]; req-1: 1 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-3", "req-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("all-devices-many-plus-another-reversed")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b", "device-3 kind=a")
                        .claim("req-0: 1 class-a; req-1: all class-a [kind=a]")
                        .expectDevices("req-0 pool-1/device-2", "req-1 pool-1/device-1", "req-1 pool-1/device-3")
                        .shouldAllocate(),
                testCase("all-devices-no-solution")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: all class-a; req-1: 1 class-a")
                        .shouldStayPending(Reason.DoesNotFit),
                testCase("all-devices-no-solution-reversed")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a; req-1: all class-a")
                        .shouldStayPending(Reason.DoesNotFit),
                testCase("all-devices-slice-without-devices")
                        .pool("pool-1")
                        .claim("req-0: all class-a")
                        .shouldStayPending(Reason.ClassMatchesNoDevice),
                testCase("all-devices-no-slices")
                        .claim("req-0: all class-a")
                        .shouldStayPending(Reason.ClassMatchesNoDevice),
                testCase("all-devices-some-allocated")
                        .pool("pool-1", TWO)
                        .allocated("pool-1", "device-2")
                        .claim("req-0: all class-a")
                        .shouldStayPending(Reason.DevicesInUse),
                testCase("allocation-mode-all-with-multi-host-resource-pool")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-2", "device-2")
                        .claim("req-0: all class-a")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate());
    }

    @TestFactory
    Stream<DynamicTest> satisfiesMatchConstraints() {
        return Stream.of(
                testCase("with-constraint")
                        .pool("pool-1", "device-1 x=a b=true n=1 v=v1.0.0", "device-2 x=a b=true n=1 v=v1.0.0")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x; match b; match n; match v")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("with-constraint-non-existent-attribute")
                        .pool("pool-1", "device-1 x=a")
                        .claim("req-0: 1 class-a; match nothing")
                        .shouldStayPending(Reason.ConstraintUnsatisfied),
                mismatch("with-constraint-not-matching-int-attribute", "x=1", "x=2"),
                mismatch("with-constraint-not-matching-string-attribute", "x=a", "x=b"),
                mismatch("with-constraint-not-matching-bool-attribute", "x=true", "x=false"),
                mismatch("with-constraint-not-matching-version-attribute", "x=v1.0.0", "x=v1.0.1"),
                mismatch("versions are compared as text", "x=v1.0.0", "x=v1.0.0+build"),
                mismatch("values of two types never match", "x=1", "x=a"),
                mismatch("list-attributes-disabled-match-constraint-with-lists", "x=[a,b]", "x=[a,b]"),
                testCase("with-constraint-not-matching-int-attribute-all-devices")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2")
                        .claim("req-0: all class-a; match x")
                        .shouldFail(
                                Reason.ConstraintUnsatisfied,
                                "request req-0: cannot add device driver.example/pool-1/device-2 because a claim"
                                        + " constraint would not be satisfied"),
                testCase("with-constraint-for-request")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x of req-0")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("with-constraint-for-request-retry")
                        .pool("pool-1", "device-1", "device-2 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x of req-0")
                        .expectDevices("req-0 pool-1/device-2", "req-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("the qualified name wins over the short one")
                        .pool("pool-1", "device-1 x=1 driver.example/x=2", "device-2 x=2")
                        .claim("req-0: 2 class-a; match x")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("the short name belongs to the driver alone")
                        .pool("pool-1", "device-1 x=1")
                        .claim("req-0: 1 class-a; match another.example/x")
                        .shouldStayPending(Reason.ConstraintUnsatisfied));
    }

    private static DynamicTest mismatch(String name, String one, String other) {
        return testCase(name)
                .pool("pool-1", "device-1 " + one, "device-2 " + other)
                .claim("req-0: 1 class-a; req-1: 1 class-a; match x")
                .shouldStayPending(Reason.ConstraintUnsatisfied);
    }

    @TestFactory
    Stream<DynamicTest> satisfiesDistinctConstraints() {
        return Stream.of(
                testCase("with-distinct-constraints")
                        .pool("pool-1", "device-1 x=1", "device-2 x=1", "device-3 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; distinct x")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-3")
                        .shouldAllocate(),
                testCase("distinct within one request of several devices")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2", "device-3 x=1", "device-4 x=3")
                        .claim("req-0: 3 class-a; distinct x")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2", "req-0 pool-1/device-4")
                        .shouldAllocate(),
                testCase("with-distinct-constraints-attribute-not-set")
                        .pool("pool-1", "device-1", "device-2 x=1")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; distinct x")
                        .shouldStayPending(Reason.ConstraintUnsatisfied),
                testCase("values of two types are distinct")
                        .pool("pool-1", "device-1 x=1", "device-2 x=a")
                        .claim("req-0: 2 class-a; distinct x")
                        .expectDevices("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("list-attributes-disabled-distinct-constraint-with-lists")
                        .pool("pool-1", "device-1 x=[a]", "device-2 x=[b]")
                        .claim("req-0: 2 class-a; distinct x")
                        .shouldStayPending(Reason.ConstraintUnsatisfied));
    }

    @TestFactory
    Stream<DynamicTest> boundsSearchOverCombinations() {
        String[] five = {"device-1", "device-2", "device-3", "device-4", "device-5"};
        return Stream.of(
                testCase("check-combinations-within-single-request-single-pool-single-slice")
                        .pool("pool-1", five)
                        .claim("req-0: 6 class-a")
                        .expectStepsAtMost(16)
                        .shouldStayPending(Reason.InsufficientDevicesPerNode),
                testCase("check-combinations-within-single-request-multiple-pools-multiple-slices")
                        .slice("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .slice("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .pool("pool-2", "device-1", "device-2")
                        .claim("req-0: 5 class-a")
                        .expectStepsAtMost(16)
                        .shouldStayPending(Reason.InsufficientDevicesPerNode),
                testCase("check-combinations-within-single-request-many-pools")
                        .pool("pool-1", "device-1")
                        .pool("pool-2", "device-1")
                        .pool("pool-3", "device-1")
                        .claim("req-0: 4 class-a")
                        .expectStepsAtMost(16)
                        .shouldStayPending(Reason.InsufficientDevicesPerNode),
                testCase("check-combinations-with-backtracking")
                        .pool("pool-1", "device-1", "device-2", "device-3", "device-4 large=true")
                        .claim("req-0: 3 class-a; req-1: 1 class-a [large=true]")
                        .expectStepsAtMost(12)
                        .expectDevices(
                                "req-0 pool-1/device-1",
                                "req-0 pool-1/device-2",
                                "req-0 pool-1/device-3",
                                "req-1 pool-1/device-4")
                        .shouldAllocate());
    }
}
