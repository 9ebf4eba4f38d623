package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.EnumSet;
import java.util.List;

/** Random devices for selectors. */
public final class SampleDevices {
    /** The driver of all sample devices. */
    public static final String DRIVER = "a.example.com";

    private SampleDevices() {}

    /** Returns the device of a seed, as it occurs in a slice. */
    public static Tree device(long seed) {
        var areas = EnumSet.of(ApiArea.LISTS, ApiArea.CAPACITY, ApiArea.FRACTIONS);
        return new RandomDevices(new Dice(seed), areas, List.of("node-1"), DRIVER, "pool-1")
                .some(false)
                .getFirst();
    }

    /** Returns a slice with this device. */
    public static Tree slice(Tree device) {
        return ProblemMaker.object(
                "resource.k8s.io/v1",
                "ResourceSlice",
                metadata -> metadata.put("name", "sample"),
                Tree.mapping(fields -> fields.put("driver", DRIVER)
                        .put("nodeName", "node-1")
                        .put(
                                "pool",
                                Tree.mapping(pool -> pool.put("name", "pool-1")
                                        .put("generation", 1)
                                        .put("resourceSliceCount", 1)))
                        .put("devices", new Tree.Sequence(List.of(device)))));
    }
}
