package dev.claimstream.load;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Claims that need much work on a {@link GpuFleet} and are unsatisfiable. */
public enum CostlyClaims {
    NONE("none", 0),
    SELECTORS("4 selectors of 114,000 units", 4),
    DIFFERENT("500 different selectors", 500),
    MANY("5,000 different selectors", 5_000),
    CONSTRAINTS("50 claims of 8 requests with 4 constraints", 50);

    /** The namespace of these claims; ordinary claims are in other namespaces. */
    public static final String NAMESPACE = "costly";

    private static final String LIST = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
    private static final String UUID = "device.attributes[\"gpu.nvidia.com\"].uuid";

    private final String text;
    private final int count;

    CostlyClaims(String text, int count) {
        this.text = text;
        this.count = count;
    }

    /** Returns the name in tables. */
    public String text() {
        return text;
    }

    /** Returns the specs, which are all different. */
    public List<ClaimSpec> specs() {
        return IntStream.range(0, count).mapToObj(this::spec).toList();
    }

    private ClaimSpec spec(int number) {
        return switch (this) {
            case NONE, SELECTORS ->
                one(LIST + ".all(a, " + LIST + ".all(b, " + LIST + ".all(c, " + LIST + ".all(d, a + b + c + d > "
                        + (3 - number) + ")))) && " + UUID + " == \"none\"");
            case DIFFERENT, MANY -> one(UUID + " == \"none-" + number + "\"");
            case CONSTRAINTS -> constrained(number);
        };
    }

    private static ClaimSpec one(String selector) {
        return new ClaimSpec(List.of(request("gpu", List.of(selector))), List.of(), List.of());
    }

    private static DeviceRequest request(String name, List<String> selectors) {
        var spec =
                new RequestSpec(GpuFleet.DRIVER, selectors, AllocationMode.EXACT_COUNT, 1, List.of(), new TreeMap<>());
        return new DeviceRequest.Exactly(name, spec, Optional.empty());
    }

    /**
     * Returns a claim with contradictory constraints: devices of the same and of different PCIe roots. The search has
     * to find the contradiction.
     */
    private static ClaimSpec constrained(int number) {
        List<DeviceRequest> requests = IntStream.range(0, 8)
                .mapToObj(i -> request("r" + i, List.of(UUID + " != \"none-" + number + "\"")))
                .toList();
        String domain = GpuFleet.DRIVER + "/";
        return new ClaimSpec(
                requests,
                List.of(
                        new DeviceConstraint.MatchAttribute(List.of("r0", "r1", "r2"), domain + "numaNode"),
                        new DeviceConstraint.MatchAttribute(List.of("r3", "r4"), "resource.kubernetes.io/pcieRoot"),
                        new DeviceConstraint.DistinctAttribute(
                                List.of("r5", "r6", "r7"), "resource.kubernetes.io/pcieRoot"),
                        new DeviceConstraint.DistinctAttribute(List.of("r0", "r3", "r5"), domain + "numaNode")),
                List.of());
    }
}
