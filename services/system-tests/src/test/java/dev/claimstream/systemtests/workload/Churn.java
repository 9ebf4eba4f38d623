package dev.claimstream.systemtests.workload;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A random sequence of claims that are created and deleted while devices are scarce. A name contains the number of
 * devices: {@code c4-17} is a claim for four, {@code p2-18} a pod with a generated claim for two.
 */
public final class Churn {
    public static final int NODES = 40;
    static final int DEVICES_PER_NODE = 8;

    private static final int[] SIZES = {1, 1, 1, 2, 2, 4, 8};
    private static final int AT_ONCE = 10;

    private final Random random;

    /** Manifests by name: of a claim and its pod, or of a pod alone. */
    private final SortedMap<String, String> existing = new TreeMap<>();

    private final Set<String> created = new HashSet<>();

    public Churn(long seed) {
        this.random = new Random(seed);
    }

    /** Returns the manifests of nodes, devices, the device class and the templates. */
    public static String cluster() {
        String nodes = IntStream.range(0, NODES).mapToObj(Churn::node).collect(Collectors.joining());
        String templates = IntStream.of(1, 2, 4, 8).mapToObj(Churn::template).collect(Collectors.joining());
        return """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com}
                spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
                """ + nodes + templates;
    }

    public static String node(int number) {
        String devices = IntStream.range(0, DEVICES_PER_NODE)
                .mapToObj(device -> "{name: gpu-%d}".formatted(device))
                .collect(Collectors.joining(", "));
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: node-%1$d}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: node-%1$d-gpus}
                spec:
                  driver: gpu.example.com
                  nodeName: node-%1$d
                  pool: {name: node-%1$d, generation: 1, resourceSliceCount: 1}
                  devices: [%2$s]
                """.formatted(number, devices);
    }

    private static String template(int count) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: take-%1$d, namespace: default}
                spec:
                  spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %1$d}}]}}
                """.formatted(count);
    }

    /** Returns the names of all claims and pods that were ever created. */
    public Set<String> created() {
        return Set.copyOf(created);
    }

    public Set<String> existing() {
        return Set.copyOf(existing.keySet());
    }

    /** Returns the name without the suffix of a generated claim. */
    static String nameOf(String claim) {
        return claim.startsWith("p") ? claim.replaceFirst("-gpus-[a-z0-9]+$", "") : claim;
    }

    /** Returns the number of devices that the claim requests. */
    static int sizeOf(String claim) {
        return claim.charAt(1) - '0';
    }

    /**
     * Returns the manifests of new claims. They count as existing even if the request fails, because it is repeated.
     */
    String createMore() {
        return IntStream.range(0, AT_ONCE).mapToObj(_ -> createOne()).collect(Collectors.joining());
    }

    private String createOne() {
        int size = SIZES[random.nextInt(SIZES.length)];
        int number = created.size();
        boolean isPodAlone = random.nextBoolean();
        String name = "%s%d-%d".formatted(isPodAlone ? "p" : "c", size, number);
        String manifest = isPodAlone
                ? ClusterManifests.pod(name, "resourceClaimTemplateName: take-" + size)
                : ClusterManifests.usedClaim(name, size);
        created.add(name);
        existing.put(name, manifest);
        return manifest;
    }

    /** Removes some claims and returns their manifests. */
    String deleteSome(Predicate<String> mayGo) {
        return deleteSome(AT_ONCE, mayGo);
    }

    /** Removes this many claims, or all for which {@code mayGo} is true, and returns their manifests. */
    String deleteSome(int count, Predicate<String> mayGo) {
        List<String> going = new ArrayList<>();
        List<String> left =
                new ArrayList<>(existing.keySet().stream().filter(mayGo).toList());
        while (going.size() < count && !left.isEmpty()) {
            going.add(left.remove(random.nextInt(left.size())));
        }
        return going.stream()
                .map(name -> Objects.requireNonNull(existing.remove(name)))
                .collect(Collectors.joining());
    }

    public int nextInt(int bound) {
        return random.nextInt(bound);
    }
}
