package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.UpstreamCase.testCase;

import dev.claimstream.allocation.sample.SampleObjects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Runs upstream's table of allocator tests, part four: prioritized lists of alternatives. */
class AlternativeCasesTest {
    private static final String[] ONE_OF_EACH = {"device-1 kind=a", "device-2 kind=b"};

    @TestFactory
    Stream<DynamicTest> selectsFirstFittingAlternative() {
        return Stream.of(
                testCase("prioritized-list-first-unavailable")
                        .pool("pool-1", "device-1 kind=b")
                        .claim("req-0: sub-0= 1 class-a [kind=a] | sub-1= 1 class-a [kind=b]")
                        .expectDevices("req-0/sub-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("prioritized-list-non-available")
                        .pool("pool-1", "device-1 kind=b")
                        .allocated("pool-1", "device-1")
                        .claim("req-0: sub-0= 2 class-a [kind=b] | sub-1= 1 class-a [kind=b]")
                        .shouldStayPending(Reason.DevicesInUse),
                testCase("prioritized-list-subrequests-with-expressions")
                        .pool("pool-1", ONE_OF_EACH)
                        .claim(
                                "req-0: 1 class-a [kind=b]; req-1: sub-0= 1 class-a [kind=b] | sub-1= 1 class-a [kind=a]")
                        .expectDevices("req-0 pool-1/device-2", "req-1/sub-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("prioritized-list-multi-request")
                        .pool("pool-1", "device-1", "device-2", "device-3")
                        .claim("req-0: sub-0= 2 class-a | sub-1= 1 class-a; req-1: sub-0= 2 class-a | sub-1= 1 class-a")
                        .expectDevices(
                                "req-0/sub-0 pool-1/device-1",
                                "req-0/sub-0 pool-1/device-2",
                                "req-1/sub-1 pool-1/device-3")
                        .shouldAllocate(),
                testCase("prioritized-list-with-backtracking")
                        .pool("pool-1", "device-1", "device-2", "device-3")
                        .claim("req-0: sub-0= 2 class-a | sub-1= 1 class-a; req-1: 2 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-1", "req-1 pool-1/device-2", "req-1 pool-1/device-3")
                        .shouldAllocate(),
                testCase("a later claim decides over an alternative too")
                        .pool("pool-1", "device-1", "device-2", "device-3")
                        .claim("req-0: sub-0= 2 class-a | sub-1= 1 class-a")
                        .claim("req-0: 2 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-1")
                        .expectDevices("req-0 pool-1/device-2", "req-0 pool-1/device-3")
                        .shouldAllocate(),
                testCase("prioritized-list-too-many-in-first-subrequest")
                        .pool("pool-1", "device-1")
                        .claim("req-0: sub-0= 500 class-a | sub-1= 1 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("prioritized-list-max-allocation-limit-request")
                        .pool(
                                "pool-1",
                                IntStream.range(0, 40)
                                        .mapToObj(i -> "device-" + i)
                                        .toArray(String[]::new))
                        .claim("req-0: 31 class-a; req-1: sub-0= 2 class-a | sub-1= 1 class-a")
                        .expectStepsAtMost(75)
                        .expectDevices(Stream.concat(
                                        IntStream.range(0, 31).mapToObj(i -> "req-0 pool-1/device-" + i),
                                        Stream.of("req-1/sub-1 pool-1/device-31"))
                                .toArray(String[]::new))
                        .shouldAllocate(),
                testCase("a broken last alternative fails the claim, though it is never tried")
                        .pool("pool-1", "device-1")
                        .claim("req-0: sub-0= 1 class-a | sub-1= 1 missing")
                        .shouldFail(Reason.ClassMissing, "req-0/sub-1"));
    }

    @TestFactory
    Stream<DynamicTest> allocatesAllDevicesOfAlternative() {
        return Stream.of(
                testCase("prioritized-list-allocation-mode-all")
                        .pool("pool-1", ONE_OF_EACH)
                        .claim("req-0: sub-0= all class-a | sub-1= 1 class-a")
                        .expectDevices("req-0/sub-0 pool-1/device-1", "req-0/sub-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("all-devices-some-allocated-prioritized-list")
                        .pool("pool-1", ONE_OF_EACH)
                        .allocated("pool-1", "device-1")
                        .claim("req-0: sub-0= all class-a | sub-1= 1 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("all-devices-slice-without-devices-prioritized-list")
                        .classes(SampleObjects.deviceClass("nothing", "false"))
                        .pool("pool-1", "device-1")
                        .claim("req-0: sub-0= all nothing | sub-1= 1 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("all-devices-no-slices-prioritized-list")
                        .claim("req-0: sub-0= all class-a | sub-1= 1 class-a")
                        .shouldStayPending(Reason.InsufficientDevicesPerNode),
                testCase("prioritized-list-allocation-mode-all-with-selectors")
                        .pool("pool-1", ONE_OF_EACH)
                        .claim("req-0: sub-0= all class-a [kind=c] | sub-1= all class-a [kind=b]")
                        .expectDevices("req-0/sub-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("prioritized-list-allocation-mode-all-multiple-requests")
                        .pool("pool-1", ONE_OF_EACH)
                        .claim("req-0: 1 class-a; req-1: sub-0= all class-a | sub-1= 1 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-1/sub-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("prioritized-list-max-allocation-allocation-mode-all")
                        .pool(
                                "pool-1",
                                IntStream.range(0, 33)
                                        .mapToObj(i -> "device-" + i)
                                        .toArray(String[]::new))
                        .claim("req-0: sub-0= all class-a | sub-1= 1 class-a")
                        .expectStepsAtMost(42)
                        .expectDevices("req-0/sub-1 pool-1/device-0")
                        .shouldAllocate());
    }

    @TestFactory
    Stream<DynamicTest> appliesConstraintsAndConfiguration() {
        var a = SampleObjects.withConfig(SampleObjects.deviceClass("configured-a"), "a");
        var b = SampleObjects.withConfig(SampleObjects.deviceClass("configured-b"), "b");
        return Stream.of(
                testCase("prioritized-list-subrequests-with-constraints-ref-parent-request")
                        .pool("pool-1", "device-1 kind=a n=1", "device-2 kind=b n=1", "device-3 kind=c n=2")
                        .claim(
                                "req-0: 1 class-a [kind=c]; req-1: sub-0= 1 class-a [kind=a] | sub-1= 1 class-a [kind=b];"
                                        + " match n of req-0,req-1")
                        .shouldStayPending(Reason.ConstraintUnsatisfied),
                testCase("prioritized-list-subrequests-with-constraints-ref-sub-request")
                        .pool("pool-1", "device-1 kind=a n=1", "device-2 kind=b n=1", "device-3 kind=c n=2")
                        .claim(
                                "req-0: 1 class-a [kind=c]; req-1: sub-0= 1 class-a [kind=a] | sub-1= 1 class-a [kind=b];"
                                        + " match n of req-0,req-1/sub-0")
                        .expectDevices("req-0 pool-1/device-3", "req-1/sub-1 pool-1/device-2")
                        .shouldAllocate(),
                testCase("with-distinct-constraints-with-subrequests")
                        .pool("pool-1", "device-1 n=1", "device-2 n=1", "device-3 n=2")
                        .claim("req-0: 1 class-a; req-1: sub-0= 2 class-a | sub-1= 1 class-a; distinct n")
                        .expectDevices("req-0 pool-1/device-1", "req-1/sub-1 pool-1/device-3")
                        .shouldAllocate(),
                testCase("prioritized-list-device-config")
                        .pool("pool-1", "device-1 kind=b")
                        .claim("req-0: sub-0= 1 class-a [kind=a] | sub-1= 1 class-a [kind=b]; req-1: sub-0= 1 class-a"
                                + " | sub-1= 1 class-a")
                        .shouldStayPending(Reason.InsufficientDevicesPerNode, Reason.DoesNotFit),
                testCase("claim-config-scoped-to-subrequests-of-one-request")
                        .pool("pool-1", "device-1 kind=b", "device-2")
                        .claim("req-0: sub-0= 1 class-a [kind=a] | sub-1= 1 class-a [kind=b]; req-1: 1 class-a;"
                                + " config first of req-0/sub-0; config second of req-0/sub-1; config main of req-0")
                        .expectDevices("req-0/sub-1 pool-1/device-1", "req-1 pool-1/device-2")
                        .expectConfig("FromClaim [req-0/sub-1] second, FromClaim [req-0] main")
                        .shouldAllocate(),
                testCase("prioritized-list-class-config")
                        .classes(a, b)
                        .pool("pool-1", "device-1 kind=b", "device-2")
                        .claim(
                                "req-0: sub-0= 1 configured-a [kind=a] | sub-1= 1 configured-b [kind=b]; req-1: 1 class-a")
                        .expectDevices("req-0/sub-1 pool-1/device-1", "req-1 pool-1/device-2")
                        .expectConfig("FromClass [req-0/sub-1] b")
                        .shouldAllocate());
    }
}
