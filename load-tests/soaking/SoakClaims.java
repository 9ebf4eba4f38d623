import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Creates and deletes claims: of pods with templates, and named claims with a pod. */
final class SoakClaims {
    private static final int[] SIZES = {1, 1, 1, 2, 2, 4, 8};
    private static final double MEAN_SIZE = Arrays.stream(SIZES).average().orElseThrow();
    private static final double DEMAND = 1.1; // of all devices, so that some claims are pending
    private static final int REQUEST_SIZE_MAX = 200;

    private final SoakServer server;
    private final Random random;
    private final int existingMax;

    /** The manifests of the existing claims. */
    private final List<String> existing = new ArrayList<>();

    /** Times of the requests to apply since {@link #takeApplyMs}. */
    private final List<Long> applyMs = new ArrayList<>();

    private long created;
    private long deleted;

    SoakClaims(SoakServer server, Random random, long devices) {
        this.server = server;
        this.random = random;
        this.existingMax = (int) (devices / MEAN_SIZE * DEMAND);
    }

    long created() {
        return created;
    }

    long deleted() {
        return deleted;
    }

    int existing() {
        return existing.size();
    }

    /** Creates claims in one request, at most as many as a request may have. */
    void create(long count) throws InterruptedException {
        if (count > 0) {
            String manifests = IntStream.range(0, (int) Math.min(REQUEST_SIZE_MAX, count))
                    .mapToObj(_ -> next())
                    .collect(Collectors.joining());
            long begin = System.nanoTime();
            server.apply(manifests);
            applyMs.add((System.nanoTime() - begin) / 1_000_000);
        }
    }

    private String next() {
        int size = SIZES[random.nextInt(SIZES.length)];
        String manifest = random.nextInt(3) > 0
                ? pod("p%d-%d".formatted(size, created), "resourceClaimTemplateName: template-" + size)
                : claimWithPod("c%d-%d".formatted(size, created), size);
        created++;
        existing.add(manifest);
        return manifest;
    }

    /** Deletes random claims above the demand, in one request. */
    void deleteExcess() throws InterruptedException {
        delete(existing.size() - existingMax);
    }

    void deleteAll() throws InterruptedException {
        while (!existing.isEmpty()) {
            delete(existing.size());
        }
    }

    private void delete(int excess) throws InterruptedException {
        int count = Math.min(REQUEST_SIZE_MAX, excess);
        if (count <= 0) {
            return;
        }
        var manifests = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int index = random.nextInt(existing.size());
            manifests.append(existing.get(index));
            existing.set(index, existing.getLast());
            existing.removeLast();
        }
        server.delete(manifests.toString());
        deleted += count;
    }

    /** Returns the sorted times of the requests to apply since the last call. */
    List<Long> takeApplyMs() {
        List<Long> sorted = applyMs.stream().sorted().toList();
        applyMs.clear();
        return sorted;
    }

    // ---- manifests

    private static String pod(String name, String source) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: soak}
                spec: {containers: [{name: main, image: app}], resourceClaims: [{name: gpus, %s}]}
                """.formatted(name, source);
    }

    /** A claim without a pod is not allocated. */
    private static String claimWithPod(String name, int count) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: soak}
                spec: %s
                """.formatted(name, claimSpec(count)) + pod(name, "resourceClaimName: " + name);
    }

    private static String claimSpec(int count) {
        return "{devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %d}}]}}"
                .formatted(count);
    }

    static String classAndTemplates() {
        String deviceClass = """
                ---
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com}
                spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
                """;
        return deviceClass
                + Arrays.stream(SIZES).distinct().mapToObj(SoakClaims::template).collect(Collectors.joining());
    }

    private static String template(int count) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: template-%d, namespace: soak}
                spec: {spec: %s}
                """.formatted(count, claimSpec(count));
    }
}
