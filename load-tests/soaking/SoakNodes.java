import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Nodes that lose and regain a device, become NotReady and Ready, and a pool that is tainted at times. */
final class SoakNodes {
    static final int DEVICES_PER_NODE = 8;

    private static final String TAINT_RULE = """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceTaintRule
            metadata: {name: soak}
            spec:
              deviceSelector: {driver: gpu.example.com, pool: node-0}
              taint: {key: example.com/soak, effect: NoSchedule}
            """;

    private final SoakServer server;
    private final Random random;
    private final SoakNode[] nodes;
    private int changes;

    SoakNodes(SoakServer server, Random random, int count) {
        this.server = server;
        this.random = random;
        this.nodes = IntStream.range(0, count).mapToObj(SoakNode::new).toArray(SoakNode[]::new);
    }

    String manifests() {
        return Arrays.stream(nodes).map(SoakNode::manifest).collect(Collectors.joining());
    }

    long deviceCount() {
        return (long) nodes.length * DEVICES_PER_NODE;
    }

    /** Returns the number of changes so far. */
    int changes() {
        return changes;
    }

    /** Makes one random change. */
    void change() throws InterruptedException {
        changes++;
        switch (random.nextInt(6)) {
            case 0 -> server.apply(TAINT_RULE);
            case 1 -> server.delete(TAINT_RULE);
            default -> server.apply(nodes[random.nextInt(nodes.length)].changed(random));
        }
    }

    /** Restores every node and device, and removes the taint. */
    void restore() throws InterruptedException {
        for (SoakNode node : nodes) {
            server.apply(node.restored());
        }
        server.delete(TAINT_RULE);
    }

    private static final class SoakNode {
        private final int number;
        private long generation = 1;
        private int missing = -1;
        private boolean isReady = true;

        SoakNode(int number) {
            this.number = number;
        }

        String manifest() {
            String devices = IntStream.range(0, DEVICES_PER_NODE)
                    .filter(device -> device != missing)
                    .mapToObj("{name: gpu-%d}"::formatted)
                    .collect(Collectors.joining(", "));
            return """
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata: {name: node-%1$d}
                    status: {conditions: [{type: Ready, status: "%2$s"}]}
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceSlice
                    metadata: {name: node-%1$d-gpus}
                    spec:
                      driver: gpu.example.com
                      nodeName: node-%1$d
                      pool: {name: node-%1$d, generation: %3$d, resourceSliceCount: 1}
                      devices: [%4$s]
                    """.formatted(number, isReady ? "True" : "False", generation, devices);
        }

        String changed(Random random) {
            if (random.nextBoolean()) {
                isReady = !isReady;
            } else {
                missing = missing < 0 ? random.nextInt(DEVICES_PER_NODE) : -1;
                generation++;
            }
            return manifest();
        }

        String restored() {
            isReady = true;
            if (missing >= 0) {
                missing = -1;
                generation++;
            }
            return manifest();
        }
    }
}
