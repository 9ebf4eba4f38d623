package dev.claimstream.allocation.solver;

import static dev.claimstream.allocation.solver.Case.named;

import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.Objects;
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

    private static String[] given(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "req-0 pool-1/device-" + i)
                .toArray(String[]::new);
    }

    @TestFactory
    Stream<DynamicTest> counts() {
        return Stream.of(
                named("simple")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a")
                        .gives("req-0 pool-1/device-1")
                        .reachedFrom("metadata.name In [node-1]")
                        .fits(),
                named("other-node")
                        .poolOn("node-1", "pool-1", "device-1")
                        .poolOn("node-2", "pool-2", "device-1")
                        .claim("req-0: 1 class-a")
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("no-slices").claim("req-0: 1 class-a").misses(Reason.ClassSelectsNothing),
                named("not-enough-suitable-devices")
                        .pool("pool-1", SMALL_AND_LARGE)
                        .claim("req-0: 1 class-a [memory=80]; req-1: 1 class-a [memory=80]")
                        .misses(Reason.DoesNotFit),
                named("small-and-large")
                        .pool("pool-1", SMALL_AND_LARGE)
                        .claim("req-0: 1 class-a [memory=40]; req-1: 1 class-a [memory=80]")
                        .gives("req-0 pool-1/small", "req-1 pool-1/large")
                        .fits(),
                named("small-and-large-backtrack-requests")
                        .pool("pool-1", "large memory=80", "small memory=40")
                        .claim("req-0: 1 class-a; req-1: 1 class-a [memory=80]")
                        .gives("req-0 pool-1/small", "req-1 pool-1/large")
                        .fits(),
                named("small-and-large-backtrack-claims")
                        .pool("pool-1", "large memory=80", "small memory=40")
                        .claim("req-0: 1 class-a")
                        .claim("req-0: 1 class-a [memory=80]")
                        .gives("req-0 pool-1/small")
                        .gives("req-0 pool-1/large")
                        .fits(),
                named("already-allocated-devices")
                        .pool("pool-1", "device-1", "device-2")
                        .held("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a")
                        .misses(Reason.DevicesInUse),
                named("several-different-drivers")
                        .pool("pool-1", "device-1")
                        .slice(Objects.slice(
                                "other",
                                "another.example",
                                "pool-1",
                                1,
                                1,
                                "node-1",
                                List.of(DeviceText.device("device-1"))))
                        .claim("req-0: 1 class-a; req-1: 1 class-a")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-1")
                        .fits(),
                named("partitionable-devices-disabled-device-consumes-counters")
                        .without(Feature.PARTITIONABLE_DEVICES)
                        .pool("pool-1", "device-1 -counters")
                        .claim("req-0: 1 class-a")
                        .misses(Reason.DoesNotFit),
                named("partitionable-devices-disabled-other-device-do-not-consume-counters")
                        .without(Feature.PARTITIONABLE_DEVICES)
                        .pool("pool-1", "device-1 -counters", "device-2")
                        .claim("req-0: 1 class-a")
                        .gives("req-0 pool-1/device-2")
                        .fits());
    }

    @TestFactory
    Stream<DynamicTest> limits() {
        return Stream.of(
                named("max-number-devices")
                        .pool("pool-1", devices(32))
                        .claim("req-0: 32 class-a")
                        .gives(given(32))
                        .fits(),
                named("too-many-devices-single-request")
                        .pool("pool-1", devices(40))
                        .claim("req-0: 33 class-a")
                        .fails(Reason.LimitExceeded, "exceeds the claim limit"),
                named("too-many-devices-total")
                        .pool("pool-1", devices(40))
                        .claim("req-0: 32 class-a; req-1: 1 class-a")
                        .fails(Reason.LimitExceeded, "exceeds the claim limit"),
                named("many-devices-okay").claim("req-0: 32 class-a").misses(Reason.ClassSelectsNothing),
                named("too many devices by mode All")
                        .pool("pool-1", devices(33))
                        .claim("req-0: all class-a")
                        .fails(Reason.LimitExceeded, "adding 33 devices exceeds the claim limit of 32"),
                named("counts so large that their sum overflows")
                        .pool("pool-1", devices(2))
                        .claim("req-0: 9223372036854775807 class-a; req-1: 9223372036854775807 class-a")
                        .fails(Reason.LimitExceeded, "exceeds the claim limit"));
    }

    @TestFactory
    Stream<DynamicTest> whatCannotBeAsked() {
        return Stream.of(
                named("unknown-class")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 unknown-class")
                        .fails(Reason.ClassMissing, "could not retrieve device class unknown-class: it does not exist"),
                named("empty-class")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 \"\"")
                        .fails(Reason.Unsupported, "missing device class name"),
                named("unknown-selector")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a []")
                        .fails(Reason.Unsupported, "CEL expression empty (unsupported selector type?)"),
                named("unknown-allocation-mode")
                        .pool("pool-1", "device-1")
                        .claim("req-0: future-mode class-a")
                        .fails(Reason.Unsupported, "unsupported count mode future-mode"),
                named("unknown-constraint")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a; unknown thing")
                        .fails(Reason.Unsupported, "empty constraint (unsupported constraint type?)"),
                named("neither exactly nor first available")
                        .pool("pool-1", "device-1")
                        .claim("req-0: ?")
                        .fails(Reason.Unsupported, "unknown request type"),
                named("invalid-CEL-one-device")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a [fail]")
                        .fails(Reason.SelectorError, "request req-0: selector #0 on device"),
                named("invalid-CEL-one-device-class")
                        .classes(Objects.deviceClass("broken", "fail"))
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 broken")
                        .fails(Reason.SelectorError, "class broken: selector #0 on device"),
                named("invalid-CEL-all-devices")
                        .pool("pool-1", "device-1")
                        .claim("req-0: all class-a [fail]")
                        .fails(Reason.SelectorError, "undeclared reference"),
                named("a selector that fails is not met where an earlier device fits")
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 class-a [fail-on:device-2]")
                        .gives("req-0 pool-1/device-1")
                        .fits(),
                named("a selector that fails on a device in use is not met")
                        .pool("pool-1", "device-1", "device-2")
                        .held("pool-1", "device-1")
                        .claim("req-0: 1 class-a [fail-on:device-1]")
                        .gives("req-0 pool-1/device-2")
                        .fits(),
                named("a selector that fails on a device in use is met where all are wanted")
                        .pool("pool-1", "device-1", "device-2")
                        .held("pool-1", "device-1")
                        .claim("req-0: all class-a [fail-on:device-1]")
                        .fails(Reason.SelectorError, "no such key: memory"));
    }

    @TestFactory
    Stream<DynamicTest> configuration() {
        var configured = Objects.configured(Objects.deviceClass("configured"), "x", "y");
        var other = Objects.configured(Objects.deviceClass("other"), "z");
        return Stream.of(
                named("with-class-device-config")
                        .classes(configured)
                        .pool("pool-1", "device-1", "device-2")
                        .claim("req-0: 1 configured; req-1: 1 class-a")
                        .gives("req-0 pool-1/device-1", "req-1 pool-1/device-2")
                        .with("FromClass [req-0] x, FromClass [req-0] y")
                        .fits(),
                named("with-class-device-config-with-multiple-request-and-configs")
                        .classes(configured, other)
                        .pool("pool-1", devices(4))
                        .claim("req-0: 1 configured; req-1: 1 other; req-2: 1 configured; req-3: 1 class-a;"
                                + " config mine of req-1")
                        .gives(
                                "req-0 pool-1/device-0",
                                "req-1 pool-1/device-1",
                                "req-2 pool-1/device-2",
                                "req-3 pool-1/device-3")
                        .with("FromClass [req-0, req-2] x, FromClass [req-0, req-2] y, FromClass [req-1] z,"
                                + " FromClaim [req-1] mine")
                        .fits(),
                named("with-claim-config-for-two-requests")
                        .pool("pool-1", devices(3))
                        .claim("req-0: 1 class-a; req-1: 1 class-a; req-2: 1 class-a; config both of req-0,req-1")
                        .gives("req-0 pool-1/device-0", "req-1 pool-1/device-1", "req-2 pool-1/device-2")
                        .with("FromClaim [req-0, req-1] both")
                        .fits(),
                named("claim-with-device-config")
                        .pool("pool-1", "device-1")
                        .claim("req-0: 1 class-a; config everything")
                        .gives("req-0 pool-1/device-1")
                        .with("FromClaim [] everything")
                        .fits(),
                named("claim-config-covering-all-requests-is-cleared")
                        .pool("pool-1", devices(2))
                        .claim("req-0: 1 class-a; req-1: 1 class-a; config both of req-0,req-1")
                        .gives("req-0 pool-1/device-0", "req-1 pool-1/device-1")
                        .with("FromClaim [] both")
                        .fits());
    }
}
