package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.UpstreamCase.testCase;

import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.Feature;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs upstream's table of allocator tests, part one: counts, classes, configuration and limits.
 *
 * <p>Cases with a hyphenated name have the name of their upstream case.
 */
class PlainCasesTest {
    private static final String[] SMALL_AND_LARGE = {"small memory=40", "large memory=80"};

    private static String[] devices(int count) {
        return IntStream.range(0, count).mapToObj(i -> "device-" + i).toArray(String[]::new);
    }

    private static String[] expectedDevices(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "req-0 pool-1/device-" + i)
                .toArray(String[]::new);
    }

    @TestFactory
    Stream<DynamicTest> allocatesRequestedCounts() {
        return Stream.of(
                testCase("simple")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a")
                        .expectDevices("req-0 pool-1/device-1")
                        .expectNodeSelector("metadata.name In [node-1]")
                        .shouldAllocate(),
                testCase("other-node")
                        .poolOn("node-1", "pool-1", "device-1")
                        .poolOn("node-2", "pool-2", "device-1")
                        .claim("req-0: 1 class-a")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("no-slices").claim("req-0: 1 class-a").shouldStayPending(Reason.ClassMatchesNoDevice),
                testCase("not-enough-suitable-devices")
                        .pool("pool-1", SMALL_AND_LARGE)
                        .claim("req-0: 1 class-a [memory=80]; req-1: 1 class-a [memory=80]")
                        .shouldStayPending(Reason.DoesNotFit),
                testCase("small-and-large")
                        .pool("pool-1", SMALL_AND_LARGE)
                        .claim("req-0: 1 class-a [memory=40]; req-1: 1 class-a [memory=80]")
                        .expectDevices("req-0 pool-1/small", "req-1 pool-1/large")
                        .shouldAllocate(),
                testCase("small-and-large-backtrack-requests")
                        .pool("pool-1", "large memory=80", "small memory=40")
                        .claim("req-0: 1 class-a; req-1: 1 class-a [memory=80]")
                        .expectDevices("req-0 pool-1/small", "req-1 pool-1/large")
                        .shouldAllocate(),
                testCase("small-and-large-backtrack-claims")
                        .pool("pool-1", "large memory=80", "small memory=40")
                        .claim("req-0: 1 class-a")
                        .claim("req-0: 1 class-a [memory=80]")
                        .expectDevices("req-0 pool-1/small")
                        .expectDevices("req-0 pool-1/large")
                        .shouldAllocate(),
                testCase("already-allocated-devices")
                        .pool("pool-1", "device-1", "device-2")
                        .allocated("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a")
                        .shouldStayPending(Reason.DevicesInUse),
                testCase("several-different-drivers")
                        .pool("pool-1", "device-1")
                        .slice(SampleObjects.slice(
                                "other",
                                "another.example",
                                "pool-1",
                                1,
                                1,
                                "node-1",
                                List.of(DeviceText.device("device-1"))))
                        .claim("req-0: 1 class-a; req-1: 1 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-1")
                        .shouldAllocate(),
                testCase("partitionable-devices-disabled-device-consumes-counters")
                        .withoutFeature(Feature.PARTITIONABLE_DEVICES)
                        .pool("pool-1", "device-1 -counters")
                        .claim("req-0: 1 class-a")
                        .shouldStayPending(Reason.DoesNotFit),
                testCase("partitionable-devices-disabled-other-device-do-not-consume-counters")
                        .withoutFeature(Feature.PARTITIONABLE_DEVICES)
                        .pool("pool-1", "device-1 -counters", "device-2")
                        .claim("req-0: 1 class-a")
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate());
    }

    @TestFactory
    Stream<DynamicTest> enforcesClaimLimits() {
        return Stream.of(
                testCase("max-number-devices")
                        .pool("pool-1", devices(32))
                        .claim("req-0: 32 class-a")
                        .expectDevices(expectedDevices(32))
                        .shouldAllocate(),
                testCase("too-many-devices-single-request")
                        .pool("pool-1", devices(40))
                        .claim("req-0: 33 class-a")
                        .shouldFail(Reason.LimitExceeded, "exceeds the claim limit"),
                testCase("too-many-devices-total")
                        .pool("pool-1", devices(40))
                        .claim("req-0: 32 class-a; req-1: 1 class-a")
                        .shouldFail(Reason.LimitExceeded, "exceeds the claim limit"),
                testCase("many-devices-okay").claim("req-0: 32 class-a").shouldStayPending(Reason.ClassMatchesNoDevice),
                testCase("too many devices by mode All")
                        .pool("pool-1", devices(33))
                        .claim("req-0: all class-a")
                        .shouldFail(Reason.LimitExceeded, "adding 33 devices exceeds the claim limit of 32"),
                testCase("counts so large that their sum overflows")
                        .pool("pool-1", devices(2))
                        .claim("req-0: 9223372036854775807 class-a; req-1: 9223372036854775807 class-a")
                        .shouldFail(Reason.LimitExceeded, "exceeds the claim limit"));
    }

    @TestFactory
    Stream<DynamicTest> rejectsInvalidRequests() {
        return Stream.of(
                testCase("unknown-class")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 unknown-class")
                        .shouldFail(
                                Reason.ClassMissing,
                                "could not retrieve device class unknown-class: it does not exist"),
                testCase("empty-class")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 \"\"")
                        .shouldFail(Reason.Unsupported, "missing device class name"),
                testCase("unknown-selector")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a []")
                        .shouldFail(Reason.Unsupported, "CEL expression empty (unsupported selector type?)"),
                testCase("unknown-allocation-mode")
                        .pool("pool-1", "device-1")
                        .claim("req-0: future-mode class-a")
                        .shouldFail(Reason.Unsupported, "unsupported count mode future-mode"),
                testCase("unknown-constraint")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a; unknown thing")
                        .shouldFail(Reason.Unsupported, "empty constraint (unsupported constraint type?)"),
                testCase("neither exactly nor first available")
                        .pool("pool-1", "device-1")
                        .claim("req-0: ?")
                        .shouldFail(Reason.Unsupported, "unknown request type"),
                testCase("invalid-CEL-one-device")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a [fail]")
                        .shouldFail(Reason.SelectorError, "request req-0: selector #0 on device"),
                testCase("invalid-CEL-one-device-class")
                        .classes(SampleObjects.deviceClass("broken", "fail"))
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 broken")
                        .shouldFail(Reason.SelectorError, "class broken: selector #0 on device"),
                testCase("invalid-CEL-all-devices")
                        .pool("pool-1", "device-1")
                        .claim("req-0: all class-a [fail]")
                        .shouldFail(Reason.SelectorError, "undeclared reference"),
                testCase("a selector that fails is not met where an earlier device fits")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a [fail-on:device-2]")
                        .expectDevices("req-0 pool-1/device-1")
                        .shouldAllocate(),
                testCase("a selector that fails on a device in use is not met")
                        .pool("pool-1", "device-1", "device-2")
                        .allocated("pool-1", "device-1")
                        .claim("req-0: 1 class-a [fail-on:device-1]")
                        .expectDevices("req-0 pool-1/device-2")
                        .shouldAllocate(),
                testCase("a selector that fails on a device in use is met where all are wanted")
                        .pool("pool-1", "device-1", "device-2")
                        .allocated("pool-1", "device-1")
                        .claim("req-0: all class-a [fail-on:device-1]")
                        .shouldFail(Reason.SelectorError, "no such key: memory"));
    }

    @TestFactory
    Stream<DynamicTest> copiesConfiguration() {
        var configured = SampleObjects.withConfig(SampleObjects.deviceClass("configured"), "x", "y");
        var other = SampleObjects.withConfig(SampleObjects.deviceClass("other"), "z");
        return Stream.of(
                testCase("with-class-device-config")
                        .classes(configured)
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 configured; req-1: 1 class-a")
                        .expectDevices("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .expectConfig("FromClass [req-0] x, FromClass [req-0] y")
                        .shouldAllocate(),
                testCase("with-class-device-config-with-multiple-request-and-configs")
                        .classes(configured, other)
                        .pool("pool-1", devices(4))
                        .claim("req-0: 1 configured; req-1: 1 other; req-2: 1 configured; req-3: 1 class-a;"
                                + " config mine of req-1")
                        .expectDevices(
                                "req-0 pool-1/device-0",
                                "req-1 pool-1/device-1",
                                "req-2 pool-1/device-2",
                                "req-3 pool-1/device-3")
                        .expectConfig("FromClass [req-0, req-2] x, FromClass [req-0, req-2] y, FromClass [req-1] z,"
                                + " FromClaim [req-1] mine")
                        .shouldAllocate(),
                testCase("with-claim-config-for-two-requests")
                        .pool("pool-1", devices(3))
                        .claim("req-0: 1 class-a; req-1: 1 class-a; req-2: 1 class-a; config both of req-0,req-1")
                        .expectDevices("req-0 pool-1/device-0", "req-1 pool-1/device-1", "req-2 pool-1/device-2")
                        .expectConfig("FromClaim [req-0, req-1] both")
                        .shouldAllocate(),
                testCase("claim-with-device-config")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a; config everything")
                        .expectDevices("req-0 pool-1/device-1")
                        .expectConfig("FromClaim [] everything")
                        .shouldAllocate(),
                testCase("claim-config-covering-all-requests-is-cleared")
                        .pool("pool-1", devices(2))
                        .claim("req-0: 1 class-a; req-1: 1 class-a; config both of req-0,req-1")
                        .expectDevices("req-0 pool-1/device-0", "req-1 pool-1/device-1")
                        .expectConfig("FromClaim [] both")
                        .shouldAllocate());
    }
}
