import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Creates and deletes the pods and claims of the soak. Not thread-safe. */
final class PodWorkload {
    static final String NAMESPACE = "soak";

    private static final String PODS = "/api/v1/namespaces/%s/pods".formatted(NAMESPACE);
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaims".formatted(NAMESPACE);
    private static final String PRIORITY = "soak";
    private static final String SMALL_CPU = "100m";
    private static final String LARGE_CPU = "24"; // two of these fit on a node
    private static final String TEMPLATES =
            "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaimtemplates".formatted(NAMESPACE);

    private final Api api;
    private final Random random;
    private final Pods pods;
    private final List<DeviceDemand> demands = new ArrayList<>();
    private final Set<String> uids = new HashSet<>();
    private final Deque<String> freeNames = new ArrayDeque<>(); // of deleted pods
    private long created;
    private long claimsCreated;

    /**
     * Devices requested together: by a pod with templates, by a named claim and the pods that share it, or by such a
     * claim alone.
     */
    private static final class DeviceDemand {
        private final int devices;
        private final Optional<String> claim;
        private final String cpu;
        private final Map<String, String> pods = new LinkedHashMap<>(); // names to uids

        DeviceDemand(int devices, Optional<String> claim, String cpu) {
            this.devices = devices;
            this.claim = claim;
            this.cpu = cpu;
        }
    }

    PodWorkload(Api api, Random random, Pods pods) {
        this.api = api;
        this.random = random;
        this.pods = pods;
    }

    void install() throws InterruptedException {
        api.create(
                "/api/v1/namespaces",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {claimstream.dev/managed: \"true\"}}\n"
                        .formatted(NAMESPACE));
        api.create("/apis/resource.k8s.io/v1/deviceclasses", """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %1$s}
                spec: {selectors: [{cel: {expression: device.driver == "%1$s"}}]}
                """.formatted(Fleet.DRIVER));
        api.create(
                "/apis/scheduling.k8s.io/v1/priorityclasses",
                "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: 1000\n"
                        .formatted(PRIORITY));
        for (Shape shape : Shape.values()) {
            api.create(TEMPLATES, """
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaimTemplate
                    metadata: {name: %s}
                    spec: {spec: %s}
                    """.formatted(shape.template(), shape.spec()));
        }
    }

    /** The requests of a claim. */
    private enum Shape {
        ONE(1, ""),
        TWO(2, ""),
        PAIR(2, ", constraints: [{matchAttribute: %s/numa}]".formatted(Fleet.DRIVER));

        private final int devices;
        private final String more;

        Shape(int devices, String more) {
            this.devices = devices;
            this.more = more;
        }

        String template() {
            return "demand-" + ordinal();
        }

        String spec() {
            return "{devices: {requests: [{name: gpus, exactly: {deviceClassName: %s, count: %d}}]%s}}"
                    .formatted(Fleet.DRIVER, devices, more);
        }
    }

    // ---- figures

    long created() {
        return created;
    }

    long claimsCreated() {
        return claimsCreated;
    }

    /** The number of devices of all groups that exist and have not ended. */
    int requestedDevices() {
        return demands.stream()
                .filter(this::isActive)
                .mapToInt(demand -> demand.devices)
                .sum();
    }

    private boolean isActive(DeviceDemand demand) {
        return demand.claim.isPresent() || demand.pods.values().stream().anyMatch(pods::isActive);
    }

    // ---- creation

    void create() throws InterruptedException {
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> createSharedClaim();
            case 3 -> addPodToSharedClaim();
            case 4, 5 -> createClaimAlone();
            case 6, 7 -> createPodWithTemplates(Shape.ONE, Shape.ONE);
            case 8, 9 -> createPodWithTemplates(Shape.PAIR);
            case 10, 11, 12, 13 -> createPodWithTemplates(Shape.TWO);
            default -> createPodWithTemplates(Shape.ONE);
        }
    }

    private void createPodWithTemplates(Shape... shapes) throws InterruptedException {
        var demand = new DeviceDemand(
                IntStream.range(0, shapes.length).map(i -> shapes[i].devices).sum(),
                Optional.empty(),
                random.nextInt(10) == 0 ? LARGE_CPU : SMALL_CPU);
        String claims = IntStream.range(0, shapes.length)
                .mapToObj(i -> "{name: claim-%d, resourceClaimTemplateName: %s}".formatted(i, shapes[i].template()))
                .collect(Collectors.joining(", "));
        if (pod(demand, claims)) {
            demands.add(demand);
        }
    }

    /** Creates a claim with pods, which may exist before the claim. */
    private void createSharedClaim() throws InterruptedException {
        Shape shape = anyShape();
        String claim = nextClaim();
        var demand = new DeviceDemand(shape.devices, Optional.of(claim), SMALL_CPU);
        demands.add(demand);
        boolean isClaimLast = random.nextInt(3) == 0;
        if (!isClaimLast) {
            claim(claim, shape);
        }
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            pod(demand, named(claim));
        }
        if (isClaimLast) {
            claim(claim, shape);
        }
    }

    /** Adds a pod to an existing claim. */
    private void addPodToSharedClaim() throws InterruptedException {
        List<DeviceDemand> shared =
                demands.stream().filter(demand -> demand.claim.isPresent()).toList();
        if (shared.isEmpty()) {
            createClaimAlone();
        } else {
            DeviceDemand demand = shared.get(random.nextInt(shared.size()));
            pod(demand, named(demand.claim.orElseThrow()));
        }
    }

    private void createClaimAlone() throws InterruptedException {
        Shape shape = anyShape();
        String claim = nextClaim();
        demands.add(new DeviceDemand(shape.devices, Optional.of(claim), SMALL_CPU));
        claim(claim, shape);
    }

    private Shape anyShape() {
        return Shape.values()[random.nextInt(Shape.values().length)];
    }

    private String nextClaim() {
        return "claim-" + claimsCreated++;
    }

    private static String named(String claim) {
        return "{name: claim-0, resourceClaimName: %s}".formatted(claim);
    }

    private void claim(String name, Shape shape) throws InterruptedException {
        api.create(
                CLAIMS,
                "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s}\nspec: %s\n"
                        .formatted(name, shape.spec()));
    }

    /** Whether the object exists. */
    private boolean pod(DeviceDemand demand, String claims) throws InterruptedException {
        boolean isNamedAgain = !freeNames.isEmpty() && random.nextInt(6) == 0;
        String name = isNamedAgain ? freeNames.poll() : "pod-" + created;
        Api.Answer response = api.create(PODS, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, annotations: {%s}}
                spec:
                  priorityClassName: %s
                  terminationGracePeriodSeconds: %d
                  resourceClaims: [%s]
                  containers: [{name: main, image: none, resources: {requests: {cpu: "%s"}}}]
                  tolerations:
                  - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}
                  - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 5}
                """.formatted(
                        name,
                        annotations(),
                        random.nextInt(8) == 0 ? PRIORITY : "\"\"",
                        random.nextInt(4) == 0 ? 30 : 0,
                        claims,
                        demand.cpu));
        String uid = JsonReader.text(
                JsonReader.read((response.isConflict() ? api.get(PODS + "/" + name) : response).body()),
                "metadata",
                "uid");
        if (uid.isEmpty() || !uids.add(uid)) {
            return false; // a former pod still has the name
        }
        created++;
        demand.pods.put(name, uid);
        if (random.nextInt(12) == 0) {
            delete(name); // before it has an effect
        }
        return true;
    }

    private String annotations() {
        var annotations = new ArrayList<String>();
        if (random.nextInt(4) == 0) {
            annotations.add("testbed.claimstream.dev/runs-seconds: \"%d\"".formatted(1 + random.nextInt(10)));
        }
        if (random.nextInt(5) == 0) {
            annotations.add("testbed.claimstream.dev/stops-seconds: \"%d\"".formatted(1 + random.nextInt(4)));
        }
        return String.join(", ", annotations);
    }

    // ---- deletion

    /** Removes groups whose pods were evicted or deleted with their node. */
    void prune() {
        for (DeviceDemand demand : demands) {
            demand.pods.entrySet().removeIf(pod -> {
                boolean isRemoved = pods.isRemoved(pod.getValue());
                if (isRemoved) {
                    freeNames.add(pod.getKey());
                }
                return isRemoved;
            });
        }
        demands.removeIf(demand -> demand.claim.isEmpty() && demand.pods.isEmpty());
    }

    /** Deletes groups until at most this number of devices is requested. */
    void deleteDownTo(int devicesMax) throws InterruptedException {
        while (requestedDevices() > devicesMax) {
            DeviceDemand demand = demands.get(random.nextInt(demands.size()));
            if (demand.claim.isPresent() && demand.pods.size() > 1 && random.nextBoolean()) {
                String name = List.copyOf(demand.pods.keySet()).get(random.nextInt(demand.pods.size()));
                delete(name);
                freeNames.add(name);
                demand.pods.remove(name);
            } else {
                delete(demand);
            }
        }
    }

    /** Deletes pods with large CPU requests, which may not fit on a node with free devices. */
    void deletePodsWithLargeCpu() throws InterruptedException {
        for (DeviceDemand demand : List.copyOf(demands)) {
            if (demand.cpu.equals(LARGE_CPU)) {
                delete(demand);
            }
        }
    }

    void deleteAll() throws InterruptedException {
        for (DeviceDemand demand : List.copyOf(demands)) {
            delete(demand);
        }
    }

    /** Deletes pods that have ended, as the Job controller does. */
    void deleteEnded(int most) throws InterruptedException {
        List<String> ended = demands.stream()
                .flatMap(demand -> demand.pods.entrySet().stream())
                .filter(pod -> pods.hasEnded(pod.getValue()))
                .map(Map.Entry::getKey)
                .limit(most)
                .toList();
        for (String name : ended) {
            delete(name);
        }
    }

    /** Deletes the group of a pod. */
    void deleteGroupOf(String uid) throws InterruptedException {
        for (DeviceDemand demand : List.copyOf(demands)) {
            if (demand.pods.containsValue(uid)) {
                delete(demand);
            }
        }
    }

    /** Deletes pods and claim of a group in any order: a claim in use remains until its pods are gone. */
    private void delete(DeviceDemand demand) throws InterruptedException {
        var paths = new ArrayList<>(
                demand.pods.keySet().stream().map(name -> PODS + "/" + name).toList());
        demand.claim.ifPresent(claim -> paths.add(CLAIMS + "/" + claim));
        Collections.shuffle(paths, random);
        for (String path : paths) {
            api.delete(path, path.startsWith(PODS) && random.nextInt(4) == 0);
        }
        freeNames.addAll(demand.pods.keySet());
        demands.remove(demand);
    }

    private void delete(String name) throws InterruptedException {
        api.delete(PODS + "/" + name, random.nextInt(4) == 0);
    }

    // ---- existing objects

    /** Returns the names of claims in use without an allocation, and of unused claims with one. */
    List<String> misallocatedClaims() throws InterruptedException {
        Set<String> used = usedClaims();
        return claims().stream()
                .filter(claim -> !JsonReader.has(claim, "metadata", "deletionTimestamp"))
                .filter(claim -> JsonReader.has(claim, "status", "allocation")
                        != used.contains(JsonReader.text(claim, "metadata", "name")))
                .map(claim -> JsonReader.text(claim, "metadata", "name"))
                .toList();
    }

    private Set<String> usedClaims() throws InterruptedException {
        Set<String> used = new HashSet<>();
        for (Object pod : JsonReader.list(JsonReader.read(api.get(PODS).body()), "items")) {
            if (!Set.of("Succeeded", "Failed").contains(JsonReader.text(pod, "status", "phase"))) {
                JsonReader.list(pod, "spec", "resourceClaims")
                        .forEach(each -> used.add(JsonReader.text(each, "resourceClaimName")));
                JsonReader.list(pod, "status", "resourceClaimStatuses")
                        .forEach(each -> used.add(JsonReader.text(each, "resourceClaimName")));
            }
        }
        return used;
    }

    List<?> claims() throws InterruptedException {
        return JsonReader.list(JsonReader.read(api.get(CLAIMS).body()), "items");
    }
}
