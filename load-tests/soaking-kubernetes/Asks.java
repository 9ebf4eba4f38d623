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

/** Pods and claims that are made and deleted. */
final class Asks {
    static final String NAMESPACE = "soak";

    private static final String PODS = "/api/v1/namespaces/%s/pods".formatted(NAMESPACE);
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaims".formatted(NAMESPACE);
    private static final String PRIORITY = "soak";
    private static final String LITTLE = "100m";
    private static final String MUCH = "24"; // a node has room for two of these
    private static final String TEMPLATES = "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaimtemplates".formatted(NAMESPACE);

    private final Api api;
    private final Random random;
    private final Pods pods;
    private final List<Ask> standing = new ArrayList<>();
    private final Set<String> uids = new HashSet<>();
    private final Deque<String> freeNames = new ArrayDeque<>(); // of pods that are gone
    private long made;
    private long claimsMade;

    /** Devices that are wanted together: by a pod with templates, by a claim with a name and the pods that share it, or by such a claim alone. */
    private static final class Ask {
        private final int devices;
        private final Optional<String> claim;
        private final String cpu;
        private final Map<String, String> pods = new LinkedHashMap<>(); // names to uids

        Ask(int devices, Optional<String> claim, String cpu) {
            this.devices = devices;
            this.claim = claim;
            this.cpu = cpu;
        }
    }

    Asks(Api api, Random random, Pods pods) {
        this.api = api;
        this.random = random;
        this.pods = pods;
    }

    void install() throws InterruptedException {
        api.create("/api/v1/namespaces", "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {claimstream.dev/managed: \"true\"}}\n".formatted(NAMESPACE));
        api.create("/apis/resource.k8s.io/v1/deviceclasses", """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %1$s}
                spec: {selectors: [{cel: {expression: device.driver == "%1$s"}}]}
                """.formatted(Fleet.DRIVER));
        api.create("/apis/scheduling.k8s.io/v1/priorityclasses", "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: %s}\nvalue: 1000\n".formatted(PRIORITY));
        for (Shape shape : Shape.values()) {
            api.create(TEMPLATES, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: %s}\nspec: {spec: %s}\n".formatted(shape.template(), shape.spec()));
        }
    }

    /** What a claim asks for. */
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
            return "ask-" + ordinal();
        }

        String spec() {
            return "{devices: {requests: [{name: gpus, exactly: {deviceClassName: %s, count: %d}}]%s}}".formatted(Fleet.DRIVER, devices, more);
        }
    }

    // ---- figures

    long made() {
        return made;
    }

    long claimsMade() {
        return claimsMade;
    }

    /** The devices of all that stands and has not ended. */
    int wanted() {
        return standing.stream().filter(this::isWanted).mapToInt(ask -> ask.devices).sum();
    }

    private boolean isWanted(Ask ask) {
        return ask.claim.isPresent() || ask.pods.values().stream().anyMatch(pods::isWanted);
    }

    // ---- more

    void more() throws InterruptedException {
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> share();
            case 3 -> join();
            case 4, 5 -> alone();
            case 6, 7 -> template(Shape.ONE, Shape.ONE);
            case 8, 9 -> template(Shape.PAIR);
            case 10, 11, 12, 13 -> template(Shape.TWO);
            default -> template(Shape.ONE);
        }
    }

    private void template(Shape... shapes) throws InterruptedException {
        var ask = new Ask(IntStream.range(0, shapes.length).map(i -> shapes[i].devices).sum(), Optional.empty(), random.nextInt(10) == 0 ? MUCH : LITTLE);
        String claims = IntStream.range(0, shapes.length)
                .mapToObj(i -> "{name: claim-%d, resourceClaimTemplateName: %s}".formatted(i, shapes[i].template()))
                .collect(Collectors.joining(", "));
        if (pod(ask, claims)) {
            standing.add(ask);
        }
    }

    /** A claim with pods, which may be there before it. */
    private void share() throws InterruptedException {
        Shape shape = anyShape();
        String claim = nextClaim();
        var ask = new Ask(shape.devices, Optional.of(claim), LITTLE);
        standing.add(ask);
        boolean isClaimLast = random.nextInt(3) == 0;
        if (!isClaimLast) {
            claim(claim, shape);
        }
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            pod(ask, named(claim));
        }
        if (isClaimLast) {
            claim(claim, shape);
        }
    }

    /** One more pod for a claim that is there. */
    private void join() throws InterruptedException {
        List<Ask> shared = standing.stream().filter(ask -> ask.claim.isPresent()).toList();
        if (shared.isEmpty()) {
            alone();
        } else {
            Ask ask = shared.get(random.nextInt(shared.size()));
            pod(ask, named(ask.claim.orElseThrow()));
        }
    }

    private void alone() throws InterruptedException {
        Shape shape = anyShape();
        String claim = nextClaim();
        standing.add(new Ask(shape.devices, Optional.of(claim), LITTLE));
        claim(claim, shape);
    }

    private Shape anyShape() {
        return Shape.values()[random.nextInt(Shape.values().length)];
    }

    private String nextClaim() {
        return "claim-" + claimsMade++;
    }

    private static String named(String claim) {
        return "{name: claim-0, resourceClaimName: %s}".formatted(claim);
    }

    private void claim(String name, Shape shape) throws InterruptedException {
        api.create(CLAIMS, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s}\nspec: %s\n".formatted(name, shape.spec()));
    }

    /** Whether there is one now. */
    private boolean pod(Ask ask, String claims) throws InterruptedException {
        boolean isNamedAgain = !freeNames.isEmpty() && random.nextInt(6) == 0;
        String name = isNamedAgain ? freeNames.poll() : "pod-" + made;
        Api.Answer said = api.create(PODS, """
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
                """.formatted(name, annotations(), random.nextInt(8) == 0 ? PRIORITY : "\"\"", random.nextInt(4) == 0 ? 30 : 0, claims, ask.cpu));
        String uid = JsonReader.text(JsonReader.read((said.isThere() ? api.get(PODS + "/" + name) : said).body()), "metadata", "uid");
        if (uid.isEmpty() || !uids.add(uid)) {
            return false; // the one before still has the name
        }
        made++;
        ask.pods.put(name, uid);
        if (random.nextInt(12) == 0) {
            delete(name); // before anything can have come of it
        }
        return true;
    }

    private String annotations() {
        var made = new ArrayList<String>();
        if (random.nextInt(4) == 0) {
            made.add("testbed.claimstream.dev/runs-seconds: \"%d\"".formatted(1 + random.nextInt(10)));
        }
        if (random.nextInt(5) == 0) {
            made.add("testbed.claimstream.dev/stops-seconds: \"%d\"".formatted(1 + random.nextInt(4)));
        }
        return String.join(", ", made);
    }

    // ---- fewer

    /** Forgets what has gone by itself: evicted, or with its node. */
    void prune() {
        for (Ask ask : standing) {
            ask.pods.entrySet().removeIf(pod -> {
                boolean isGone = pods.isGone(pod.getValue());
                if (isGone) {
                    freeNames.add(pod.getKey());
                }
                return isGone;
            });
        }
        standing.removeIf(ask -> ask.claim.isEmpty() && ask.pods.isEmpty());
    }

    /** Deletes until so many devices are wanted at most. */
    void fewer(int devicesMax) throws InterruptedException {
        while (wanted() > devicesMax) {
            Ask ask = standing.get(random.nextInt(standing.size()));
            if (ask.claim.isPresent() && ask.pods.size() > 1 && random.nextBoolean()) {
                String name = List.copyOf(ask.pods.keySet()).get(random.nextInt(ask.pods.size()));
                delete(name);
                freeNames.add(name);
                ask.pods.remove(name);
            } else {
                end(ask);
            }
        }
    }

    /** Those that want so much processor that a node with devices may have no room for them. */
    void noneOfMuch() throws InterruptedException {
        for (Ask ask : List.copyOf(standing)) {
            if (ask.cpu.equals(MUCH)) {
                end(ask);
            }
        }
    }

    void none() throws InterruptedException {
        for (Ask ask : List.copyOf(standing)) {
            end(ask);
        }
    }

    /** Deletes pods that have ended, as a controller of Jobs clears them away. */
    void clear(int most) throws InterruptedException {
        List<String> ended = standing.stream()
                .flatMap(ask -> ask.pods.entrySet().stream())
                .filter(pod -> pods.isOver(pod.getValue()))
                .map(Map.Entry::getKey)
                .limit(most)
                .toList();
        for (String name : ended) {
            delete(name);
        }
    }

    /** Ends what a pod belongs to. */
    void endOf(String uid) throws InterruptedException {
        for (Ask ask : List.copyOf(standing)) {
            if (ask.pods.containsValue(uid)) {
                end(ask);
            }
        }
    }

    /** Its pods and its claim in any order: a claim in use waits for its pods. */
    private void end(Ask ask) throws InterruptedException {
        var paths = new ArrayList<>(ask.pods.keySet().stream().map(name -> PODS + "/" + name).toList());
        ask.claim.ifPresent(claim -> paths.add(CLAIMS + "/" + claim));
        Collections.shuffle(paths, random);
        for (String path : paths) {
            api.delete(path, path.startsWith(PODS) && random.nextInt(4) == 0);
        }
        freeNames.addAll(ask.pods.keySet());
        standing.remove(ask);
    }

    private void delete(String name) throws InterruptedException {
        api.delete(PODS + "/" + name, random.nextInt(4) == 0);
    }

    // ---- what stands

    /** Names of claims that a pod uses and that have no devices, and of those that no pod uses and that hold devices. */
    List<String> misallocatedClaims() throws InterruptedException {
        Set<String> used = usedClaims();
        return claims().stream()
                .filter(claim -> !JsonReader.has(claim, "metadata", "deletionTimestamp"))
                .filter(claim -> JsonReader.has(claim, "status", "allocation") != used.contains(JsonReader.text(claim, "metadata", "name")))
                .map(claim -> JsonReader.text(claim, "metadata", "name"))
                .toList();
    }

    private Set<String> usedClaims() throws InterruptedException {
        Set<String> used = new HashSet<>();
        for (Object pod : JsonReader.list(JsonReader.read(api.get(PODS).body()), "items")) {
            if (!Set.of("Succeeded", "Failed").contains(JsonReader.text(pod, "status", "phase"))) {
                JsonReader.list(pod, "spec", "resourceClaims").forEach(each -> used.add(JsonReader.text(each, "resourceClaimName")));
                JsonReader.list(pod, "status", "resourceClaimStatuses").forEach(each -> used.add(JsonReader.text(each, "resourceClaimName")));
            }
        }
        return used;
    }

    List<?> claims() throws InterruptedException {
        return JsonReader.list(JsonReader.read(api.get(CLAIMS).body()), "items");
    }
}
