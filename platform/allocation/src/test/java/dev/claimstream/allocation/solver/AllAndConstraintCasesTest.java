package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.Case.named;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part three: allocation mode All and constraints. */
class AllAndConstraintCasesTest {
    private static final String[] TWO = {"device-1", "device-2"};

    @TestFactory
    Stream<DynamicTest> allDevices() {
        return Stream.of(
                named("all-devices-single")
                        .pool("pool-1", "device-1")
                        .claim("req-0: all class-a")
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("all-devices-many")
                        .pool("pool-1", TWO)
                        .pool("pool-2", "device-1")
                        .claim("req-0: all class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2", "req-0 pool-2/device-1")
                        .fits(),
                named("all-devices-of-the-incomplete-pool")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .claim("req-0: all class-a")
                        .fails(
                                Reason.PoolIncomplete,
                                "asks for all devices, but resource pool driver.example/pool-1 is currently being updated"),
                named("all devices where a pool of another driver is incomplete")
                        .pool("pool-1", "device-1 kind=gpu")
                        .part("slice-9", "pool-9", 1, 2, "node-1", "device-1 kind=nic")
                        .claim("req-0: all class-a [kind=gpu]")
                        .fails(Reason.PoolIncomplete, "driver.example/pool-9"),
                named("all devices where a pool is invalid")
                        .pool("pool-1", "device-1")
                        .pool("pool-2", "device-1", "device-1")
                        .claim("req-0: all class-a")
                        .fails(Reason.PoolInvalid, "driver.example/pool-2"),
                named("all-devices-plus-another")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b")
                        .claim("req-0: all class-a [kind=a]; req-1: 1 class-a [kind=b]")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .fits(),
                named("all-devices-plus-another-reversed")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b")
                        .claim("req-0: 1 class-a [kind=b]; req-1: all class-a [kind=a]")
                        .gives("req-0 pool-1/device-2", "req-1 pool-1/device-1")
                        .fits(),
                named("all-devices-many-plus-another")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b", "device-3 kind=a")
                        .claim("req-0: all class-a [kind=a]; req-1: 1 class-a")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-3", "req-1 pool-1/device-2")
                        .fits(),
                named("all-devices-many-plus-another-reversed")
                        .pool("pool-1", "device-1 kind=a", "device-2 kind=b", "device-3 kind=a")
                        .claim("req-0: 1 class-a; req-1: all class-a [kind=a]")
                        .gives("req-0 pool-1/device-2", "req-1 pool-1/device-1", "req-1 pool-1/device-3")
                        .fits(),
                named("all-devices-no-solution")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: all class-a; req-1: 1 class-a")
                        .misses(Reason.DoesNotFit),
                named("all-devices-no-solution-reversed")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a; req-1: all class-a")
                        .misses(Reason.DoesNotFit),
                named("all-devices-slice-without-devices")
                        .pool("pool-1")
                        .claim("req-0: all class-a")
                        .misses(Reason.ClassSelectsNothing),
                named("all-devices-no-slices").claim("req-0: all class-a").misses(Reason.ClassSelectsNothing),
                named("all-devices-some-allocated")
                        .pool("pool-1", TWO)
                        .held("pool-1", "device-2")
                        .claim("req-0: all class-a")
                        .misses(Reason.DevicesInUse),
                named("allocation-mode-all-with-multi-host-resource-pool")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-2", "device-2")
                        .claim("req-0: all class-a")
                        .gives("req-0 pool-1/device-1")
                        .fits());
    }

    @TestFactory
    Stream<DynamicTest> matching() {
        return Stream.of(
                named("with-constraint")
                        .pool("pool-1", "device-1 x=a b=true n=1 v=v1.0.0", "device-2 x=a b=true n=1 v=v1.0.0")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x; match b; match n; match v")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .fits(),
                named("with-constraint-non-existent-attribute")
                        .pool("pool-1", "device-1 x=a")
                        .claim("req-0: 1 class-a; match nothing")
                        .misses(Reason.ConstraintUnsatisfied),
                differs("with-constraint-not-matching-int-attribute", "x=1", "x=2"),
                differs("with-constraint-not-matching-string-attribute", "x=a", "x=b"),
                differs("with-constraint-not-matching-bool-attribute", "x=true", "x=false"),
                differs("with-constraint-not-matching-version-attribute", "x=v1.0.0", "x=v1.0.1"),
                differs("versions are compared as text", "x=v1.0.0", "x=v1.0.0+build"),
                differs("values of two types never match", "x=1", "x=a"),
                differs("list-attributes-disabled-match-constraint-with-lists", "x=[a,b]", "x=[a,b]"),
                named("with-constraint-not-matching-int-attribute-all-devices")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2")
                        .claim("req-0: all class-a; match x")
                        .fails(
                                Reason.ConstraintUnsatisfied,
                                "request req-0: cannot add device driver.example/pool-1/device-2 because a claim"
                                        + " constraint would not be satisfied"),
                named("with-constraint-for-request")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x of req-0")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .fits(),
                named("with-constraint-for-request-retry")
                        .pool("pool-1", "device-1", "device-2 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; match x of req-0")
                        .gives("req-0 pool-1/device-2", "req-1 pool-1/device-1")
                        .fits(),
                named("the qualified name wins over the short one")
                        .pool("pool-1", "device-1 x=1 driver.example/x=2", "device-2 x=2")
                        .claim("req-0: 2 class-a; match x")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .fits(),
                named("the short name belongs to the driver alone")
                        .pool("pool-1", "device-1 x=1")
                        .claim("req-0: 1 class-a; match another.example/x")
                        .misses(Reason.ConstraintUnsatisfied));
    }

    private static DynamicTest differs(String name, String one, String other) {
        return named(name)
                .pool("pool-1", "device-1 " + one, "device-2 " + other)
                .claim("req-0: 1 class-a; req-1: 1 class-a; match x")
                .misses(Reason.ConstraintUnsatisfied);
    }

    @TestFactory
    Stream<DynamicTest> distinct() {
        return Stream.of(
                named("with-distinct-constraints")
                        .pool("pool-1", "device-1 x=1", "device-2 x=1", "device-3 x=2")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; distinct x")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-3")
                        .fits(),
                named("distinct within one request of several devices")
                        .pool("pool-1", "device-1 x=1", "device-2 x=2", "device-3 x=1", "device-4 x=3")
                        .claim("req-0: 3 class-a; distinct x")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2", "req-0 pool-1/device-4")
                        .fits(),
                named("with-distinct-constraints-attribute-not-set")
                        .pool("pool-1", "device-1", "device-2 x=1")
                        .claim("req-0: 1 class-a; req-1: 1 class-a; distinct x")
                        .misses(Reason.ConstraintUnsatisfied),
                named("values of two types are distinct")
                        .pool("pool-1", "device-1 x=1", "device-2 x=a")
                        .claim("req-0: 2 class-a; distinct x")
                        .gives("req-0 pool-1/device-1", "req-0 pool-1/device-2")
                        .fits(),
                named("list-attributes-disabled-distinct-constraint-with-lists")
                        .pool("pool-1", "device-1 x=[a]", "device-2 x=[b]")
                        .claim("req-0: 2 class-a; distinct x")
                        .misses(Reason.ConstraintUnsatisfied));
    }

    @TestFactory
    Stream<DynamicTest> combinations() {
        String[] five = {"device-1", "device-2", "device-3", "device-4", "device-5"};
        return Stream.of(
                named("check-combinations-within-single-request-single-pool-single-slice")
                        .pool("pool-1", five)
                        .claim("req-0: 6 class-a")
                        .within(16)
                        .misses(Reason.TooFewOnOneNode),
                named("check-combinations-within-single-request-multiple-pools-multiple-slices")
                        .part("slice-1", "pool-1", 1, 2, "node-1", "device-1")
                        .part("slice-2", "pool-1", 1, 2, "node-1", "device-2")
                        .pool("pool-2", "device-1", "device-2")
                        .claim("req-0: 5 class-a")
                        .within(16)
                        .misses(Reason.TooFewOnOneNode),
                named("check-combinations-within-single-request-many-pools")
                        .pool("pool-1", "device-1")
                        .pool("pool-2", "device-1")
                        .pool("pool-3", "device-1")
                        .claim("req-0: 4 class-a")
                        .within(16)
                        .misses(Reason.TooFewOnOneNode),
                named("check-combinations-with-backtracking")
                        .pool("pool-1", "device-1", "device-2", "device-3", "device-4 large=true")
                        .claim("req-0: 3 class-a; req-1: 1 class-a [large=true]")
                        .within(12)
                        .gives(
                                "req-0 pool-1/device-1",
                                "req-0 pool-1/device-2",
                                "req-0 pool-1/device-3",
                                "req-1 pool-1/device-4")
                        .fits());
    }
}
