import java.util.Arrays;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Nodes with a slice of devices each. They lose heartbeats, are cordoned, deleted and created, and their devices are
 * removed or tainted.
 */
final class Fleet {
    static final String DRIVER = "gpu.example.com";

    private static final String NODES = "/api/v1/nodes";
    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";

    private final Api api;
    private final Random random;
    private final int devicesEach;
    private final FleetNode[] nodes;
    private long changes;

    /** A node with its present faults. */
    private static final class FleetNode {
        private final String name;
        private long generation;
        private boolean isCordoned;
        private boolean isSilent;
        private boolean isRemoved;
        private OptionalInt missing = OptionalInt.empty();
        private OptionalInt tainted = OptionalInt.empty();
        private String effect = "NoSchedule";

        FleetNode(int number) {
            name = "node-%04d".formatted(number);
        }

        boolean isHealthy() {
            return !isCordoned && !isSilent && !isRemoved && missing.isEmpty() && tainted.isEmpty();
        }
    }

    Fleet(Api api, Random random, int nodes, int devicesEach) {
        this.api = api;
        this.random = random;
        this.devicesEach = devicesEach;
        this.nodes = IntStream.range(0, nodes).mapToObj(FleetNode::new).toArray(FleetNode[]::new);
    }

    void install() throws InterruptedException {
        for (FleetNode node : nodes) {
            create(node);
            publish(node);
        }
    }

    int devices() {
        return nodes.length * devicesEach;
    }

    long changes() {
        return changes;
    }

    /** Makes one random change. A faulty node is more likely to be repaired. */
    void change() throws InterruptedException {
        changes++;
        FleetNode node = nodes[random.nextInt(nodes.length)];
        if (!node.isHealthy() && random.nextInt(5) < 3) {
            restore(node);
        } else if (node.isHealthy()
                && Arrays.stream(nodes).filter(each -> !each.isHealthy()).count() * 5 >= nodes.length * 2L) {
            republish(node);
        } else {
            addFault(node);
        }
    }

    private void addFault(FleetNode node) throws InterruptedException {
        switch (random.nextInt(7)) {
            case 0 -> setCordoned(node, true);
            case 1 -> setSilent(node, true);
            case 2 -> remove(node);
            case 3, 4 -> {
                node.missing = OptionalInt.of(random.nextInt(devicesEach));
                republish(node);
            }
            case 5 -> {
                node.tainted = OptionalInt.of(random.nextInt(devicesEach));
                node.effect = random.nextBoolean() ? "NoExecute" : "NoSchedule";
                republish(node);
            }
            default -> republish(node);
        }
    }

    void restoreAll() throws InterruptedException {
        for (FleetNode node : nodes) {
            if (!node.isHealthy()) {
                restore(node);
            }
        }
    }

    private void restore(FleetNode node) throws InterruptedException {
        if (node.isRemoved) {
            create(node);
            node.isRemoved = false;
            node.isCordoned = false;
            node.isSilent = false;
        }
        if (node.isCordoned) {
            setCordoned(node, false);
        }
        if (node.isSilent) {
            setSilent(node, false);
        }
        node.missing = OptionalInt.empty();
        node.tainted = OptionalInt.empty();
        republish(node);
    }

    private void setCordoned(FleetNode node, boolean isCordoned) throws InterruptedException {
        node.isCordoned = isCordoned;
        api.patch(NODES + "/" + node.name, "{\"spec\":{\"unschedulable\":%s}}".formatted(isCordoned ? "true" : "null"));
    }

    private void setSilent(FleetNode node, boolean isSilent) throws InterruptedException {
        node.isSilent = isSilent;
        api.patch(
                NODES + "/" + node.name,
                "{\"metadata\":{\"annotations\":{\"testbed.claimstream.dev/silent\":%s}}}"
                        .formatted(isSilent ? "\"true\"" : "null"));
    }

    /** Deletes a node, with its slice before it, after it, or not at all. */
    private void remove(FleetNode node) throws InterruptedException {
        if (node.isRemoved) {
            return;
        }
        node.isRemoved = true;
        int order = random.nextInt(3);
        if (order == 0) {
            api.delete(SLICES + "/" + node.name, false);
        }
        api.delete(NODES + "/" + node.name, false);
        if (order == 1) {
            api.delete(SLICES + "/" + node.name, false);
        }
    }

    private void create(FleetNode node) throws InterruptedException {
        api.create(NODES, """
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {kubernetes.io/hostname: %1$s, kubernetes.io/os: linux}}
                status:
                  capacity: {cpu: "64", memory: 256Gi, pods: "110"}
                  allocatable: {cpu: "64", memory: 256Gi, pods: "110"}
                  conditions: [{type: Ready, status: "True", reason: KubeletReady}]
                """.formatted(node.name));
    }

    /** Publishes a higher generation in the same or another slice, as a driver does after a restart. */
    private void republish(FleetNode node) throws InterruptedException {
        if (random.nextInt(8) == 0) {
            api.delete(SLICES + "/" + node.name, false);
        }
        publish(node);
    }

    private void publish(FleetNode node) throws InterruptedException {
        node.generation++;
        String path = SLICES + "/" + node.name;
        String changing = "\"pool\":{\"name\":\"%s\",\"generation\":%d,\"resourceSliceCount\":1},\"devices\":%s"
                .formatted(node.name, node.generation, devices(node));
        if (api.patch(path, "{\"spec\":{%s}}".formatted(changing)).isMissing()) {
            api.create(SLICES, """
                    {"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"%1$s"},
                     "spec":{"driver":"%2$s","nodeName":"%1$s",%3$s}}
                    """.formatted(node.name, DRIVER, changing));
        }
    }

    private String devices(FleetNode node) {
        return IntStream.range(0, devicesEach)
                .filter(device -> node.missing.orElse(-1) != device)
                .mapToObj(device -> "{\"name\":\"gpu-%d\",\"attributes\":{\"numa\":{\"int\":%d}}%s}"
                        .formatted(
                                device,
                                device % 2,
                                node.tainted.orElse(-1) == device
                                        ? ",\"taints\":[{\"key\":\"example.com/broken\",\"effect\":\"%s\"}]"
                                                .formatted(node.effect)
                                        : ""))
                .collect(Collectors.joining(",", "[", "]"));
    }
}
