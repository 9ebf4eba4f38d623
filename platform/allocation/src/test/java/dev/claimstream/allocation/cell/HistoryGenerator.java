package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Generates random histories of a small cluster. Equal seeds generate equal histories.
 *
 * <p>Nodes, pools, claims and pods change. The writer commits some decisions, other writers interfere, and the watcher
 * misses changes and relists. A cell runs along, so that later observations follow from its decisions.
 */
final class HistoryGenerator {
    static final String NAMESPACE = "default";
    private static final Map<HistoryParameters, History> GENERATED = new ConcurrentHashMap<>();

    private final Random random;
    private final RandomValues values;

    /** Whether the history changes {@link AllocationTiming}; true for every second seed. */
    private final boolean changesTiming;

    private final Random timingRandom;
    private final List<Observation> observations = new ArrayList<>();
    private final SimulatedApiServer apiServer;
    private final Cell cell = new Cell(new State(new TextSelectors()));
    private final boolean isBudgeted;
    private int consumed;

    private HistoryGenerator(long seed, boolean isBudgeted) {
        this.random = new Random(seed);
        this.values = new RandomValues(random);
        this.isBudgeted = isBudgeted;
        this.timingRandom = new Random(~seed);
        this.changesTiming = seed % 2 == 1;
        this.apiServer =
                seed % 3 == 0 ? SimulatedApiServer.withTwoWatchers(observations) : new SimulatedApiServer(observations);
    }

    /** Generates the history of a seed. */
    static History random(long seed, int observations) {
        return generate(seed, observations, false);
    }

    /** Generates a history; two of three seeds have a small work budget and occasional work slices. */
    static History randomWithBudget(long seed, int observations) {
        return generate(seed, observations, seed % 3 != 0);
    }

    /** Tests of one class check several laws on the same histories. */
    private static History generate(long seed, int observations, boolean isBudgeted) {
        return GENERATED.computeIfAbsent(
                new HistoryParameters(seed, observations, isBudgeted),
                each -> new History(
                        simulate(seed, observations, isBudgeted).observations.subList(0, observations)));
    }

    private record HistoryParameters(long seed, int observations, boolean isBudgeted) {}

    /** Generates a history without final lists, and the objects that exist at its end. */
    static HistoryWithObjects randomWithObjects(long seed, int observations) {
        var generator = simulate(seed, observations);
        List<ClusterObject> objects = Arrays.stream(Kind.values())
                .flatMap(kind -> generator.apiServer.objectsOf(kind).stream())
                .toList();
        return new HistoryWithObjects(new History(generator.observations), objects);
    }

    private static HistoryGenerator simulate(long seed, int observations) {
        return simulate(seed, observations, false);
    }

    private static HistoryGenerator simulate(long seed, int observations, boolean isBudgeted) {
        var generator = new HistoryGenerator(seed, isBudgeted);
        generator.begin();
        while (generator.observations.size() < observations) {
            generator.addRandomChange();
            generator.stepCell();
        }
        return generator;
    }

    /** Generates a history that ends with a list of every kind, and the objects that exist at its end. */
    static HistoryWithObjects randomWithFinalLists(long seed, int observations, boolean lags) {
        var generator = simulate(seed, observations);
        List<ClusterObject> objects = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            generator.apiServer.relist(kind, generator.random, lags, 2);
            objects.addAll(generator.apiServer.objectsOf(kind));
        }
        return new HistoryWithObjects(new History(generator.observations), objects);
    }

    /** A history and the objects that exist at its end. */
    record HistoryWithObjects(History history, List<ClusterObject> objects) {}

    private void stepCell() {
        for (; consumed < observations.size(); consumed++) {
            cell.step(new Input(consumed, History.START.plusSeconds(consumed), observations.get(consumed)));
        }
    }

    private void begin() {
        if (changesTiming) {
            changeTiming();
        }
        configure();
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.deviceClass("nic", "kind=nic"));
        for (int i = 1; i <= 3; i++) {
            apiServer.write(new Node(
                    SampleObjects.node("node-" + i, "zone=" + pick("a", "b"), "host=" + i)
                            .meta(),
                    List.of(),
                    false,
                    true,
                    List.of(),
                    values.resources()));
            publish("node-" + i);
        }
        if (chance(60)) {
            for (Kind kind : Kind.values()) {
                apiServer.relist(kind, random, false, 1 + random.nextInt(2));
            }
        }
        stepCell();
    }

    private void addRandomChange() {
        if (isBudgeted && chance(35)) {
            observations.add(new Observation.WorkSliceDue(cell.state().nextSlice() - (chance(10) ? 1 : 0)));
            return;
        }
        switch (random.nextInt(29)) {
            case 0 -> changeNode("node-" + (1 + random.nextInt(4)));
            case 1, 2 -> publish("node-" + (1 + random.nextInt(4)));
            case 3 -> publishNetworkPool();
            case 4 -> changeTaintRuleOrClass();
            case 5 -> writeNamespace();
            case 6, 7, 8 -> writeClaim("claim-" + random.nextInt(10));
            case 9, 10, 11 -> writePod("pod-" + random.nextInt(6));
            case 12, 13, 14, 15 -> commit();
            case 16 -> interfere();
            case 17, 18 -> endClaim();
            case 19, 20 -> endPod();
            case 21 -> apiServer.reportLiveness("node-" + (1 + random.nextInt(4)), random.nextBoolean());
            case 22 -> relist();
            case 23, 24 -> reportOutcome();
            case 25 -> changePodGroup();
            case 26, 27 -> clearUnschedulableClaim();
            default -> changeSettingsOrProbe();
        }
    }

    // ---- nodes and devices

    private void changeNode(String name) {
        if (chance(25)) {
            apiServer.delete(Kind.NODE, ObjectKey.cluster(name), chance(80));
            return;
        }
        String zone = "zone=" + pick("a", "b");
        String host = "host=" + name;
        Node plain = switch (random.nextInt(10)) {
            case 0 -> SampleObjects.node(name);
            case 1 -> SampleObjects.node(name, zone);
            case 2 -> SampleObjects.node(name, host);
            default -> SampleObjects.node(name, zone, host);
        };
        apiServer.write(new Node(
                plain.meta(),
                chance(20) ? List.of(DeviceText.taint("busy:NoSchedule")) : List.of(),
                chance(15),
                chance(85),
                List.of(),
                values.resources()));
    }

    private void publish(String node) {
        if (chance(10)) {
            apiServer.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster(node + "-slice"), chance(80));
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
        apiServer.write(SampleObjects.slice(
                node + "-slice", node, random.nextInt(3), chance(90) ? 1 : 2, node, devices.toArray(String[]::new)));
    }

    private void publishNetworkPool() {
        apiServer.write(SampleObjects.slice(
                "net-" + random.nextInt(2),
                "net",
                random.nextInt(2),
                1 + random.nextInt(2),
                pick("*", "zone=a", "devices", "node-1"),
                "gpu-0 kind=gpu numa=0 @zone=b",
                "gpu-%d kind=gpu @*".formatted(1 + random.nextInt(2))));
    }

    private void changeTaintRuleOrClass() {
        if (chance(50)) {
            if (chance(50)) {
                apiServer.write(SampleObjects.taintRule(
                        "rule", "drain:NoExecute", "", pick("", "node-1", "node-2"), pick("", "gpu-0", "gpu-1")));
            } else {
                apiServer.delete(Kind.DEVICE_TAINT_RULE, ObjectKey.cluster("rule"), chance(80));
            }
            return;
        }
        String name = pick("tpu", "gpu");
        if (chance(30)) {
            apiServer.delete(Kind.DEVICE_CLASS, ObjectKey.cluster(name), chance(80));
        } else {
            var deviceClass =
                    SampleObjects.deviceClass(name, name.equals("tpu") ? pick("false", "kind=nic") : "kind=gpu");
            apiServer.write(chance(12) ? deviceClass.asUnmanaged() : deviceClass);
        }
    }

    private void writeNamespace() {
        var labels = new TreeMap<String, String>();
        labels.put(Namespace.ADMIN_ACCESS_LABEL, pick("true", "false"));
        labels.put("team", pick("red", "blue"));
        apiServer.write(new Namespace(ObjectMeta.of("", NAMESPACE, "uid-ns").withLabels(labels)));
    }

    // ---- claims and pods

    private ObjectMeta meta(String name, String uid) {
        return ObjectMeta.of(NAMESPACE, name, uid)
                .withCreated(History.START.plusSeconds(random.nextInt(4)))
                .withSequence(random.nextInt(3));
    }

    private void writeClaim(String name) {
        var key = new ObjectKey(NAMESPACE, name);
        Optional<ResourceClaim> known = apiServer.find(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
        if (known.isEmpty() || chance(10)) {
            apiServer.write(new ResourceClaim(
                    meta(name, apiServer.nextUid()), ClaimText.spec(values.claim()), Optional.empty(), List.of()));
        }
    }

    private void writePod(String name) {
        var key = new ObjectKey(NAMESPACE, name);
        Optional<Pod> known = apiServer.find(Kind.POD, key, Pod.class);
        if (known.isPresent() && chance(90)) {
            createClaims(known.get());
            return;
        }
        List<PodClaim> podClaims = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(2); i++) {
            podClaims.add(new PodClaim(
                    "use-" + i,
                    chance(75)
                            ? new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(10))
                            : new PodClaim.ClaimSource.TemplateReference("template"),
                    random.nextInt(3)));
        }
        ResourceList requests = chance(50)
                ? ResourceList.none()
                : ItemSentences.parseResources(pick("1 cpu", "3 cpu", "5 cpu", "2 cpu and 4 memory"));
        SortedMap<String, String> zone = new TreeMap<>();
        if (chance(20)) {
            zone.put("zone", pick("a", "b"));
        }
        apiServer.write(Pod.builder(meta(name, apiServer.nextUid()).withLabels(label("app", pick("x", "y"))))
                .nodeName(chance(10) ? Optional.of("node-1") : Optional.empty())
                .nodeSelector(zone)
                .tolerations(chance(20) ? List.of(DeviceText.toleration("*")) : List.of())
                .priority(random.nextInt(3))
                .preempts(chance(80))
                .resourceClaims(podClaims)
                .requests(requests)
                .spare(requests.isNone() || chance(60) ? new TreeMap<>() : requests.amounts())
                .podGroup(chance(20) ? Optional.of("group") : Optional.empty())
                .schedulingGates(values.gates())
                .topology(chance(40) ? values.topology() : PodTopology.none())
                .build());
        if (chance(30)) {
            apiServer.write(new ResourceClaimTemplate(
                    ObjectMeta.of(NAMESPACE, "template", "uid-template"),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    ClaimText.spec("r: 1 gpu")));
        }
    }

    private static SortedMap<String, String> label(String key, String value) {
        var labels = new TreeMap<String, String>();
        labels.put(key, value);
        return labels;
    }

    /** Creates the claims of a pod's templates, as the resourceclaim controller. */
    private void createClaims(Pod pod) {
        List<PodClaim> podClaims = new ArrayList<>();
        for (PodClaim use : pod.resourceClaims()) {
            if (use.source() instanceof PodClaim.ClaimSource.TemplateReference from) {
                String name = pod.meta().name() + "-" + use.name();
                apiServer.write(new ResourceClaim(
                        meta(name, apiServer.nextUid())
                                .withController(
                                        Owner.pod(pod.meta().name(), pod.meta().uid())),
                        ClaimText.spec(pick("r: 1 gpu", "r: 2 gpu")),
                        Optional.empty(),
                        List.of()));
                podClaims.add(use.withSource(new PodClaim.ClaimSource.GeneratedClaim(from.template(), name)));
            } else {
                podClaims.add(use);
            }
        }
        rewrite(pod, pod.meta(), podClaims, pod.finished());
    }

    /** Rewrites a pod and sometimes binds it, mostly to the node that the cell allocated. */
    private void rewrite(Pod pod, ObjectMeta meta, List<PodClaim> podClaims, boolean finished) {
        Optional<String> allocatedNode =
                cell.state().nodeUsage().usageOf(pod.key()).map(NodeResourceUsage.PodResourceUsage::node);
        apiServer.write(pod.toBuilder()
                .meta(meta)
                .nodeName(pod.nodeName()
                        .or(() -> chance(40) ? allocatedNode : chance(10) ? Optional.of("node-2") : Optional.empty()))
                .resourceClaims(podClaims)
                .schedulingGates(pod.nodeName().isPresent() || chance(30) ? List.of() : pod.schedulingGates())
                .finished(finished)
                .phase("")
                .build());
    }

    private void changePodGroup() {
        if (chance(30)) {
            apiServer.delete(Kind.POD_GROUP, new ObjectKey(NAMESPACE, "group"), chance(80));
        } else {
            apiServer.write(new PodGroup(
                    meta("group", apiServer.nextUid()),
                    List.of(new PodClaim(
                            "use-0", new PodClaim.ClaimSource.ClaimReference("claim-" + random.nextInt(10))))));
        }
    }

    private static ObjectMeta withDeletion(ObjectMeta meta) {
        return meta.toBuilder().deleting(true).build();
    }

    private void endPod() {
        any(apiServer.objectsOf(Kind.POD)).map(Pod.class::cast).ifPresent(pod -> {
            switch (random.nextInt(3)) {
                case 0 -> rewrite(pod, pod.meta(), pod.resourceClaims(), true);
                case 1 -> rewrite(pod, withDeletion(pod.meta()), pod.resourceClaims(), pod.finished());
                default -> apiServer.delete(Kind.POD, pod.key(), chance(80));
            }
        });
    }

    private Optional<ResourceClaim> anyClaim() {
        return any(apiServer.objectsOf(Kind.RESOURCE_CLAIM)).map(ResourceClaim.class::cast);
    }

    private void allocate(ResourceClaim claim, Optional<Allocation> allocation, List<ClaimConsumer> consumers) {
        apiServer.write(new ResourceClaim(claim.meta(), claim.spec(), allocation, consumers));
    }

    /** Commits an allocation, as the writer. */
    private void commit() {
        List<ClaimRow.AllocationRow> allocationRows = List.copyOf(cell.state().rows(ClaimRow.AllocationRow.ALL));
        any(allocationRows)
                .filter(allocationRow -> allocationRow.commitState() != ClaimRow.AllocationRow.CommitState.REVOKED)
                .ifPresent(allocationRow -> apiServer
                        .find(Kind.RESOURCE_CLAIM, allocationRow.claim(), ResourceClaim.class)
                        .filter(claim -> claim.meta().uid().equals(allocationRow.claimUid()))
                        .filter(claim -> claim.allocation().isEmpty()
                                || claim.allocation().get().equals(allocationRow.allocation()))
                        .ifPresent(claim ->
                                allocate(claim, Optional.of(allocationRow.allocation()), allocationRow.reservedFor())));
    }

    /** Reports a commit outcome, sometimes of a superseded decision. */
    private void reportOutcome() {
        misplace();
        finishDeallocation();
        List<ClaimRow.AllocationRow> allocationRows = List.copyOf(cell.state().rows(ClaimRow.AllocationRow.ALL));
        any(allocationRows).ifPresent(allocationRow -> {
            boolean isInStatus = apiServer
                    .find(Kind.RESOURCE_CLAIM, allocationRow.claim(), ResourceClaim.class)
                    .filter(claim -> claim.meta().uid().equals(allocationRow.claimUid()))
                    .flatMap(ResourceClaim::allocation)
                    .isPresent();
            boolean isRejected = !isInStatus
                    && (allocationRow.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED || chance(30));
            observations.add(new Observation.CommitOutcome(
                    allocationRow.claimUid(),
                    chance(90) ? allocationRow.number() : allocationRow.number() - 1,
                    isRejected ? Observation.CommitOutcome.Result.REJECTED : Observation.CommitOutcome.Result.COMMITTED,
                    isRejected ? "no" : "",
                    isRejected && chance(60) ? apiServer.version() : 0));
        });
    }

    /** Allocates a claim of an unbound pod on a node that does not exist. */
    private void misplace() {
        any(apiServer.objectsOf(Kind.POD).stream()
                        .map(Pod.class::cast)
                        .filter(pod -> pod.nodeName().isEmpty() && !pod.finished())
                        .flatMap(pod -> pod.claims().stream())
                        .flatMap(key -> apiServer.find(Kind.RESOURCE_CLAIM, key, ResourceClaim.class).stream())
                        .filter(claim -> claim.allocation().isEmpty())
                        .toList())
                .ifPresent(claim -> allocate(
                        claim,
                        Optional.of(new Allocation(
                                List.of(DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, "node-9", "gpu-0"))),
                                List.of(),
                                Optional.of(NodeSelector.ofNode("node-9")),
                                Optional.empty())),
                        List.of()));
    }

    /** Clears a claim that is being deallocated, or rejects its deallocation. */
    private void finishDeallocation() {
        List<ClaimRow.DeallocationRow> rows = List.copyOf(cell.state().rows(ClaimRow.DeallocationRow.ALL));
        any(rows).ifPresent(row -> {
            if (chance(60)) {
                apiServer
                        .find(Kind.RESOURCE_CLAIM, row.claim(), ResourceClaim.class)
                        .filter(claim -> claim.meta().uid().equals(row.claimUid()))
                        .ifPresent(claim -> allocate(claim, Optional.empty(), List.of()));
            } else {
                observations.add(new Observation.CommitOutcome(
                        row.claimUid(),
                        row.number(),
                        Observation.CommitOutcome.Result.REJECTED,
                        "it is in use",
                        chance(60) ? apiServer.version() : 0));
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
            DeviceResult result =
                    DeviceResult.of("r", new DeviceId(SampleObjects.DRIVER, node, "gpu-" + random.nextInt(3)));
            var allocation = new Allocation(
                    List.of(result), List.of(), Optional.of(NodeSelector.ofNode(node)), Optional.empty());
            allocate(
                    claim,
                    Optional.of(allocation),
                    chance(50) ? List.of(ClaimConsumer.pod("pod-0", "uid-?")) : List.of());
        });
    }

    /** kube-scheduler cannot place a pod and clears one of its claims. */
    private void clearUnschedulableClaim() {
        any(apiServer.objectsOf(Kind.POD).stream()
                        .map(Pod.class::cast)
                        .filter(pod -> pod.nodeName().isEmpty() && !pod.finished())
                        .flatMap(pod -> pod.claims().stream())
                        .flatMap(key -> apiServer.find(Kind.RESOURCE_CLAIM, key, ResourceClaim.class).stream())
                        .filter(claim -> claim.allocation().isPresent())
                        .toList())
                .ifPresent(claim -> allocate(claim, Optional.empty(), List.of()));
    }

    private void endClaim() {
        anyClaim().ifPresent(claim -> {
            switch (random.nextInt(3)) {
                case 0 ->
                    apiServer.write(new ResourceClaim(
                            withDeletion(claim.meta()), claim.spec(), claim.allocation(), claim.reservedFor()));
                case 1 -> allocate(claim, Optional.empty(), List.of());
                default -> apiServer.delete(Kind.RESOURCE_CLAIM, claim.key(), chance(80));
            }
        });
    }

    // ---- watcher and operator

    private void relist() {
        Kind kind = any(List.of(Kind.values())).orElseThrow();
        if (chance(30)) {
            apiServer.reportStale(kind);
        }
        if (changesTiming && timingRandom.nextInt(100) < 15) {
            changeTiming();
        }
        apiServer.relist(kind, random, chance(50), 1 + random.nextInt(2));
    }

    private void changeTiming() {
        apiServer.setAllocationTiming(
                timingRandom.nextBoolean() ? AllocationTiming.WAIT_FOR_CONSUMER : AllocationTiming.IMMEDIATE);
    }

    private void changeSettingsOrProbe() {
        if (chance(40)) {
            configure();
        } else {
            observations.add(new Observation.Probe("probe-" + random.nextInt(3), random.nextInt(2), 2));
        }
    }

    private void configure() {
        observations.add(new Observation.SettingsChanged(values.settings(isBudgeted)));
    }

    private boolean chance(int percent) {
        return values.chance(percent);
    }

    private String pick(String... options) {
        return values.pick(options);
    }

    private <T> Optional<T> any(List<T> all) {
        return values.any(all);
    }
}
