package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Generates random histories of a small cluster. Equal seeds generate equal histories.
 *
 * <p>Nodes, pools, claims and pods change. The writer commits some decisions, other writers interfere, and the watcher
 * misses changes and relists. A cell runs along, so that later observations follow from its decisions.
 */
final class Lives {
    private static final String NAMESPACE = "default";
    private static final String[] CLAIMS = {
        "r: 1 gpu",
        "n: 1 nic",
        "r: 2 gpu",
        "r: 3 gpu",
        "r: all gpu",
        "r: big= 2 gpu | small= 1 gpu",
        "g: 1 gpu; n: 1 nic; match numa",
        "r: 1 gpu admin",
        "r: 1 gpu [fail-on:gpu-1]",
        "r: 1 tpu",
        "r: 2 gpu ~*",
        "r: 33 gpu",
        "r: 2 gpu; distinct numa",
        "r: future-mode gpu",
        "r: 1 gpu [model=none]"
    };

    private final Random random;

    /** Whether the history changes {@link AllocationTiming}; true for every second seed. */
    private final boolean isTimed;

    private final Random timings;
    private final List<Observation> out = new ArrayList<>();
    private final World world;
    private final Cell cell = new Cell(new State(new TextSelectors()));
    private final boolean isBudgeted;
    private int fed;

    private Lives(long seed, boolean isBudgeted) {
        this.random = new Random(seed);
        this.isBudgeted = isBudgeted;
        this.timings = new Random(~seed);
        this.isTimed = seed % 2 == 1;
        this.world = seed % 3 == 0 ? World.watchedByTwo(out) : new World(out);
    }

    /** Generates the history of a seed. */
    static History random(long seed, int observations) {
        var life = lived(seed, observations);
        return new History(life.out.subList(0, observations));
    }

    /** Generates a history; two of three seeds have a small work budget and occasional work slices. */
    static History budgeted(long seed, int observations) {
        var life = lived(seed, observations, seed % 3 != 0);
        return new History(life.out.subList(0, observations));
    }

    /** Generates a history without final lists, and the objects that exist at its end. */
    static Ended told(long seed, int observations) {
        var life = lived(seed, observations);
        List<ClusterObject> standing = Arrays.stream(Kind.values())
                .flatMap(kind -> life.world.standing(kind).stream())
                .toList();
        return new Ended(new History(life.out), standing);
    }

    private static Lives lived(long seed, int observations) {
        return lived(seed, observations, false);
    }

    private static Lives lived(long seed, int observations, boolean isBudgeted) {
        var life = new Lives(seed, isBudgeted);
        life.begin();
        while (life.out.size() < observations) {
            life.happen();
            life.feed();
        }
        return life;
    }

    /** Generates a history that ends with a list of every kind, and the objects that exist at its end. */
    static Ended ended(long seed, int observations, boolean lags) {
        var life = lived(seed, observations);
        List<ClusterObject> standing = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            life.world.list(kind, life.random, lags, 2);
            standing.addAll(life.world.standing(kind));
        }
        return new Ended(new History(life.out), standing);
    }

    /** A history and the objects that exist at its end. */
    record Ended(History history, List<ClusterObject> standing) {}

    private void feed() {
        for (; fed < out.size(); fed++) {
            cell.step(new Input(fed, History.START.plusSeconds(fed), out.get(fed)));
        }
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private String pick(String... options) {
        return options[random.nextInt(options.length)];
    }

    private <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private void begin() {
        if (isTimed) {
            timing();
        }
        configure();
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.deviceClass("nic", "kind=nic"));
        for (int i = 1; i <= 3; i++) {
            world.write(new Node(
                    Objects.node("node-" + i, "zone=" + pick("a", "b"), "host=" + i)
                            .meta(),
                    List.of(),
                    false,
                    true,
                    List.of(),
                    room()));
            publish("node-" + i);
        }
        if (chance(60)) {
            for (Kind kind : Kind.values()) {
                world.list(kind, random, false, 1 + random.nextInt(2));
            }
        }
        feed();
    }

    private void happen() {
        if (isBudgeted && chance(35)) {
            out.add(new Observation.WorkSliceDue(cell.state().nextSlice() - (chance(10) ? 1 : 0)));
            return;
        }
        switch (random.nextInt(29)) {
            case 0 -> nodeChanges("node-" + (1 + random.nextInt(4)));
            case 1, 2 -> publish("node-" + (1 + random.nextInt(4)));
            case 3 -> network();
            case 4 -> ruleOrClass();
            case 5 -> namespace();
            case 6, 7, 8 -> claim("claim-" + random.nextInt(10));
            case 9, 10, 11 -> pod("pod-" + random.nextInt(6));
            case 12, 13, 14, 15 -> commit();
            case 16 -> interfere();
            case 17, 18 -> claimEnds();
            case 19, 20 -> podEnds();
            case 21 -> world.hear("node-" + (1 + random.nextInt(4)), random.nextBoolean());
            case 22 -> watcher();
            case 23, 24 -> outcome();
            case 25 -> group();
            case 26, 27 -> notTaken();
            default -> operator();
        }
    }

    // ---- nodes and devices

    private void nodeChanges(String name) {
        if (chance(25)) {
            world.delete(Kind.NODE, ObjectKey.cluster(name), chance(80));
            return;
        }
        String zone = "zone=" + pick("a", "b");
        String host = "host=" + name;
        Node plain = switch (random.nextInt(10)) {
            case 0 -> Objects.node(name);
            case 1 -> Objects.node(name, zone);
            case 2 -> Objects.node(name, host);
            default -> Objects.node(name, zone, host);
        };
        world.write(new Node(
                plain.meta(),
                chance(20) ? List.of(DeviceText.taint("busy:NoSchedule")) : List.of(),
                chance(15),
                chance(85),
                List.of(),
                room()));
    }

    private ResourceList room() {
        return chance(40) ? ResourceList.none() : ItemActs.resources(pick("4 cpu and 3 pods", "2 cpu and 9 pods"));
    }

    private void publish(String node) {
        if (chance(10)) {
            world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster(node + "-slice"), chance(80));
            return;
        }
        List<String> devices = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            devices.add("%s-%d kind=%s numa=%d%s%s"
                    .formatted(
                            i == 3 ? "nic" : "gpu",
                            i,
                            i == 3 ? "nic" : "gpu",
                            i % 2,
                            chance(5) ? " !dead:NoSchedule" : "",
                            chance(30) ? pick(" ^cpu=1", " ^cpu+1/1", " ^memory=8", " ^cpu=rows*2") : ""));
        }
        world.write(Objects.slice(
                node + "-slice", node, random.nextInt(3), chance(90) ? 1 : 2, node, devices.toArray(String[]::new)));
    }

    private void network() {
        world.write(Objects.slice(
                "net-" + random.nextInt(2),
                "net",
                random.nextInt(2),
                1 + random.nextInt(2),
                pick("*", "zone=a", "devices", "node-1"),
                "gpu-0 kind=gpu numa=0 @zone=b",
                "gpu-%d kind=gpu @*".formatted(1 + random.nextInt(2))));
    }

    private void ruleOrClass() {
        if (chance(50)) {
            if (chance(50)) {
                world.write(Objects.taintRule(
                        "rule", "drain:NoExecute", "", pick("", "node-1", "node-2"), pick("", "gpu-0", "gpu-1")));
            } else {
                world.delete(Kind.DEVICE_TAINT_RULE, ObjectKey.cluster("rule"), chance(80));
            }
            return;
        }
        String name = pick("tpu", "gpu");
        if (chance(30)) {
            world.delete(Kind.DEVICE_CLASS, ObjectKey.cluster(name), chance(80));
        } else {
            var made = Objects.deviceClass(name, name.equals("tpu") ? pick("false", "kind=nic") : "kind=gpu");
            world.write(chance(12) ? made.asUnmanaged() : made);
        }
    }

    private void namespace() {
        var labels = new TreeMap<String, String>();
        labels.put(Namespace.ADMIN_ACCESS_LABEL, pick("true", "false"));
        labels.put("team", pick("red", "blue"));
        world.write(new Namespace(ObjectMeta.of("", NAMESPACE, "uid-ns").withLabels(labels)));
    }

    // ---- claims and pods

    private ObjectMeta meta(String name, String uid) {
        return ObjectMeta.of(NAMESPACE, name, uid)
                .withCreated(History.START.plusSeconds(random.nextInt(4)))
                .withSequence(random.nextInt(3));
    }

    private void claim(String name) {
        var key = new ObjectKey(NAMESPACE, name);
        Optional<ResourceClaim> known = world.at(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
        if (known.isEmpty() || chance(10)) {
            world.write(new ResourceClaim(
                    meta(name, world.freshUid()), ClaimText.spec(pick(CLAIMS)), Optional.empty(), List.of()));
        }
    }

    private void pod(String name) {
        var key = new ObjectKey(NAMESPACE, name);
        Optional<Pod> known = world.at(Kind.POD, key, Pod.class);
        if (known.isPresent() && chance(90)) {
            makeClaims(known.get());
            return;
        }
        List<PodClaim> uses = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(2); i++) {
            uses.add(new PodClaim(
                    "use-" + i,
                    chance(75)
                            ? new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(10))
                            : new PodClaim.ClaimSource.TemplateReference("template"),
                    random.nextInt(3)));
        }
        ResourceList requests = chance(50)
                ? ResourceList.none()
                : ItemActs.resources(pick("1 cpu", "3 cpu", "5 cpu", "2 cpu and 4 memory"));
        SortedMap<String, String> zone = new TreeMap<>();
        if (chance(20)) {
            zone.put("zone", pick("a", "b"));
        }
        world.write(new Pod(
                meta(name, world.freshUid()).withLabels(label("app", pick("x", "y"))),
                chance(10) ? Optional.of("node-1") : Optional.empty(),
                zone,
                Optional.empty(),
                chance(20) ? List.of(DeviceText.toleration("*")) : List.of(),
                random.nextInt(3),
                chance(80),
                uses,
                List.of(),
                requests,
                requests.isNone() || chance(60) ? new TreeMap<>() : requests.amounts(),
                chance(20) ? Optional.of("group") : Optional.empty(),
                chance(50) ? List.of(Pod.ALLOCATION_GATE) : List.of(),
                chance(40) ? topology() : PodTopology.none(),
                false));
        if (chance(30)) {
            world.write(new ResourceClaimTemplate(
                    ObjectMeta.of(NAMESPACE, "template", "uid-template"),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    ClaimText.spec("r: 1 gpu")));
        }
    }

    private PodTopology topology() {
        return new PodTopology(
                terms(30),
                terms(40),
                chance(40)
                        ? List.of(new TopologySpreadConstraint(
                                pick("zone", "host"),
                                1 + random.nextInt(2),
                                1 + random.nextInt(3),
                                selector("app", "x", "y"),
                                random.nextBoolean(),
                                random.nextBoolean()))
                        : List.of(),
                chance(20)
                        ? List.of(new HostPort(pick(HostPort.ALL_ADDRESSES, "10.0.0.1"), "TCP", 80 + random.nextInt(2)))
                        : List.of(),
                chance(10));
    }

    private List<PodAffinityTerm> terms(int percent) {
        List<PodAffinityTerm> terms = new ArrayList<>();
        while (chance(percent)) {
            terms.add(new PodAffinityTerm(
                    pick("zone", "host"),
                    selector("app", "x", "y"),
                    new TreeSet<>(chance(20) ? List.of(pick(NAMESPACE, "other")) : List.of()),
                    chance(20) ? selector("team", "red", "blue") : Optional.empty()));
        }
        return terms;
    }

    private Optional<LabelSelector> selector(String key, String... values) {
        return chance(10)
                ? Optional.empty()
                : Optional.of(new LabelSelector(List.of(
                        chance(80)
                                ? new NodeSelector.Requirement(key, "In", List.of(pick(values)))
                                : new NodeSelector.Requirement(key, pick("Exists", "DoesNotExist"), List.of()))));
    }

    private static SortedMap<String, String> label(String key, String value) {
        var labels = new TreeMap<String, String>();
        labels.put(key, value);
        return labels;
    }

    /** Creates the claims of a pod's templates, as the resourceclaim controller. */
    private void makeClaims(Pod pod) {
        List<PodClaim> uses = new ArrayList<>();
        for (PodClaim use : pod.resourceClaims()) {
            if (use.source() instanceof PodClaim.ClaimSource.TemplateReference from) {
                String made = pod.meta().name() + "-" + use.name();
                world.write(new ResourceClaim(
                        meta(made, world.freshUid())
                                .withController(new Owner(
                                        "Pod", pod.meta().name(), pod.meta().uid())),
                        ClaimText.spec(pick("r: 1 gpu", "r: 2 gpu")),
                        Optional.empty(),
                        List.of()));
                uses.add(use.withSource(new PodClaim.ClaimSource.GeneratedClaim(from.template(), made)));
            } else {
                uses.add(use);
            }
        }
        rewrite(pod, pod.meta(), uses, pod.finished());
    }

    /** Rewrites a pod and sometimes binds it, mostly to the node that the cell allocated. */
    private void rewrite(Pod pod, ObjectMeta meta, List<PodClaim> uses, boolean finished) {
        Optional<String> given =
                cell.state().nodeUsage().usageOf(pod.key()).map(NodeResourceUsage.PodResourceUsage::node);
        world.write(new Pod(
                meta,
                pod.nodeName().or(() -> chance(40) ? given : chance(10) ? Optional.of("node-2") : Optional.empty()),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                uses,
                pod.containerResources(),
                pod.requests(),
                pod.spare(),
                pod.podGroup(),
                pod.nodeName().isPresent() || chance(30) ? List.of() : pod.schedulingGates(),
                pod.topology(),
                finished));
    }

    private void group() {
        if (chance(30)) {
            world.delete(Kind.POD_GROUP, new ObjectKey(NAMESPACE, "group"), chance(80));
        } else {
            world.write(new PodGroup(
                    meta("group", world.freshUid()),
                    List.of(new PodClaim(
                            "use-0", new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(10))))));
        }
    }

    private static ObjectMeta deleting(ObjectMeta meta) {
        return new ObjectMeta(
                meta.namespace(),
                meta.name(),
                meta.uid(),
                meta.created(),
                meta.sequence(),
                meta.labels(),
                meta.annotations(),
                meta.controller(),
                true);
    }

    private void podEnds() {
        any(world.standing(Kind.POD)).map(Pod.class::cast).ifPresent(pod -> {
            switch (random.nextInt(3)) {
                case 0 -> rewrite(pod, pod.meta(), pod.resourceClaims(), true);
                case 1 -> rewrite(pod, deleting(pod.meta()), pod.resourceClaims(), pod.finished());
                default -> world.delete(Kind.POD, pod.key(), chance(80));
            }
        });
    }

    private Optional<ResourceClaim> anyClaim() {
        return any(world.standing(Kind.RESOURCE_CLAIM)).map(ResourceClaim.class::cast);
    }

    private void allocate(ResourceClaim claim, Optional<Allocation> allocation, List<ClaimConsumer> consumers) {
        world.write(new ResourceClaim(claim.meta(), claim.spec(), allocation, consumers));
    }

    /** Commits an allocation, as the writer. */
    private void commit() {
        List<Row> grants = List.copyOf(cell.state().rowsFrom("grant/").values());
        any(grants)
                .map(Row.AllocationRow.class::cast)
                .filter(grant -> grant.commitState() != Row.AllocationRow.CommitState.REVOKED)
                .ifPresent(grant -> world.at(Kind.RESOURCE_CLAIM, grant.claim(), ResourceClaim.class)
                        .filter(claim -> claim.meta().uid().equals(grant.claimUid()))
                        .filter(claim -> claim.allocation().isEmpty()
                                || claim.allocation().get().equals(grant.allocation()))
                        .ifPresent(claim -> allocate(claim, Optional.of(grant.allocation()), grant.reservedFor())));
    }

    /** Reports a commit outcome, sometimes of a superseded decision. */
    private void outcome() {
        misplace();
        deallocation();
        List<Row> grants = List.copyOf(cell.state().rowsFrom("grant/").values());
        any(grants).map(Row.AllocationRow.class::cast).ifPresent(grant -> {
            boolean isInStatus = world.at(Kind.RESOURCE_CLAIM, grant.claim(), ResourceClaim.class)
                    .filter(claim -> claim.meta().uid().equals(grant.claimUid()))
                    .flatMap(ResourceClaim::allocation)
                    .isPresent();
            boolean isRefused =
                    !isInStatus && (grant.commitState() == Row.AllocationRow.CommitState.REVOKED || chance(30));
            out.add(new Observation.CommitOutcome(
                    grant.claimUid(),
                    chance(90) ? grant.number() : grant.number() - 1,
                    isRefused ? Observation.CommitOutcome.Result.REFUSED : Observation.CommitOutcome.Result.COMMITTED,
                    isRefused ? "no" : "",
                    isRefused && chance(60) ? world.version() : 0));
        });
    }

    /** Allocates a claim of an unbound pod on a node that does not exist. */
    private void misplace() {
        any(world.standing(Kind.POD).stream()
                        .map(Pod.class::cast)
                        .filter(pod -> pod.nodeName().isEmpty() && !pod.finished())
                        .flatMap(pod -> pod.claims().stream())
                        .flatMap(key -> world.at(Kind.RESOURCE_CLAIM, key, ResourceClaim.class).stream())
                        .filter(claim -> claim.allocation().isEmpty())
                        .toList())
                .ifPresent(claim -> allocate(
                        claim,
                        Optional.of(new Allocation(
                                List.of(DeviceResult.of("r", new DeviceId(Objects.DRIVER, "node-9", "gpu-0"))),
                                List.of(),
                                Optional.of(NodeSelector.ofNode("node-9")),
                                Optional.empty())),
                        List.of()));
    }

    /** Clears a claim that is being deallocated, or rejects its deallocation. */
    private void deallocation() {
        List<Row> rows =
                List.copyOf(cell.state().rowsFrom(Row.DeallocationRow.PREFIX).values());
        any(rows).map(Row.DeallocationRow.class::cast).ifPresent(row -> {
            if (chance(60)) {
                world.at(Kind.RESOURCE_CLAIM, row.claim(), ResourceClaim.class)
                        .filter(claim -> claim.meta().uid().equals(row.claimUid()))
                        .ifPresent(claim -> allocate(claim, Optional.empty(), List.of()));
            } else {
                out.add(new Observation.CommitOutcome(
                        row.claimUid(),
                        row.number(),
                        Observation.CommitOutcome.Result.REFUSED,
                        "it is in use",
                        chance(60) ? world.version() : 0));
            }
        });
    }

    /** Another writer allocates a claim or clears an allocation. */
    private void interfere() {
        anyClaim().ifPresent(claim -> {
            if (claim.allocation().isPresent()) {
                allocate(claim, Optional.empty(), List.of());
                return;
            }
            String node = "node-" + (1 + random.nextInt(4));
            DeviceResult result = DeviceResult.of("r", new DeviceId(Objects.DRIVER, node, "gpu-" + random.nextInt(3)));
            var allocation = new Allocation(
                    List.of(result), List.of(), Optional.of(NodeSelector.ofNode(node)), Optional.empty());
            allocate(
                    claim,
                    Optional.of(allocation),
                    chance(50) ? List.of(ClaimConsumer.pod("pod-0", "uid-?")) : List.of());
        });
    }

    /** kube-scheduler cannot place a pod and clears one of its claims. */
    private void notTaken() {
        any(world.standing(Kind.POD).stream()
                        .map(Pod.class::cast)
                        .filter(pod -> pod.nodeName().isEmpty() && !pod.finished())
                        .flatMap(pod -> pod.claims().stream())
                        .flatMap(key -> world.at(Kind.RESOURCE_CLAIM, key, ResourceClaim.class).stream())
                        .filter(claim -> claim.allocation().isPresent())
                        .toList())
                .ifPresent(claim -> allocate(claim, Optional.empty(), List.of()));
    }

    private void claimEnds() {
        anyClaim().ifPresent(claim -> {
            switch (random.nextInt(3)) {
                case 0 ->
                    world.write(new ResourceClaim(
                            deleting(claim.meta()), claim.spec(), claim.allocation(), claim.reservedFor()));
                case 1 -> allocate(claim, Optional.empty(), List.of());
                default -> world.delete(Kind.RESOURCE_CLAIM, claim.key(), chance(80));
            }
        });
    }

    // ---- watcher and operator

    private void watcher() {
        Kind kind = any(List.of(Kind.values())).orElseThrow();
        if (chance(30)) {
            world.stale(kind);
        }
        if (isTimed && timings.nextInt(100) < 15) {
            timing();
        }
        world.list(kind, random, chance(50), 1 + random.nextInt(2));
    }

    private void timing() {
        world.allocate(timings.nextBoolean() ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE);
    }

    private void operator() {
        if (chance(40)) {
            configure();
        } else {
            out.add(new Observation.Probe("probe-" + random.nextInt(3), random.nextInt(2), 2));
        }
    }

    private void configure() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        if (chance(60)) {
            Arrays.stream(Kind.values()).forEach(kind -> sources.put(kind, new TreeSet<>(List.of(World.SOURCE))));
        }
        out.add(new Observation.SettingsChanged(new CellSettings(
                any(List.of(PlacementPolicy.values())).orElseThrow(),
                chance(80) ? CellSettings.SEARCH_STEPS_DEFAULT : 2 + random.nextInt(3),
                chance(70) ? 2 : 64,
                Duration.ofSeconds(chance(50) ? 0 : 1 + random.nextInt(30)),
                chance(50),
                chance(50),
                sources,
                FeatureGates.defaults()
                        .with(Feature.WORKLOAD_RESOURCE_CLAIMS, chance(70))
                        .with(Feature.NODE_ALLOCATABLE_RESOURCES, chance(60)),
                isBudgeted ? littleWork() : WorkBudget.DEFAULT,
                isBudgeted && chance(20) ? "another" : "test")));
    }

    /** A budget from less than one attempt or evaluation up to a few of them. */
    private WorkBudget littleWork() {
        return new WorkBudget(
                1 + random.nextInt(1_500),
                chance(50) ? 0 : random.nextInt(4_000),
                random.nextInt(500),
                1 + random.nextInt(3_000));
    }
}
