package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A simulated cluster with several cells and a writer, which commits decisions and deallocates claims.
 *
 * <p>Checks on each write that no device is in two claims, and on each deallocation that its condition is met and that
 * it is decided once.
 */
final class DeallocatingCluster {
    static final String NAMESPACE = "default";

    final List<Observation> observations = new ArrayList<>();
    final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
    final MultiCellSimulation simulation;
    final List<Decision> deallocations = new ArrayList<>();
    private final List<Decision> uncommitted = new ArrayList<>();
    private final SortedMap<ObjectKey, Long> versions = new TreeMap<>();
    private final SortedMap<Long, ResourceClaim> claimsByVersion = new TreeMap<>();
    private final SortedMap<String, Long> marks = new TreeMap<>();
    private final Set<String> gatedPods = new HashSet<>();
    private final Set<List<Object>> decided = new HashSet<>();
    private int consumed;
    private int read;

    DeallocatingCluster(int cells, long seed) {
        this.simulation = new MultiCellSimulation(cells, seed, 1 + (int) (seed % 4));
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
    }

    // ---- objects

    static ObjectKey key(String name) {
        return new ObjectKey(NAMESPACE, name);
    }

    private static String zone(int cell) {
        return "claimstream.dev/cell=" + cell;
    }

    /** Limits the work of the cells, so that most searches continue in slices. */
    void limitWork() {
        observations.add(new Observation.SettingsChanged(
                CellSettings.builder().work(new WorkBudget(10, 0, 0, 3_000)).build()));
    }

    /** Writes a node of a cell. */
    void node(String name, int cell, boolean isCordoned) {
        Node plain = SampleObjects.node(name, zone(cell));
        apiServer.write(new Node(plain.meta(), List.of(), isCordoned, true, List.of(), ResourceList.none()));
    }

    /** Writes the pool of a node, with devices from this number on. */
    void pool(String node, int generation, int from, int devices) {
        String[] texts = new String[devices];
        for (int i = 0; i < devices; i++) {
            texts[i] = "gpu-%d kind=gpu".formatted(from + i);
        }
        apiServer.write(SampleObjects.slice(node + "-slice", node, generation, 1, node, texts));
    }

    ResourceClaim claim(String name, String wants) {
        var claim = new ResourceClaim(
                ObjectMeta.of(NAMESPACE, name, apiServer.nextUid()),
                ClaimText.spec(wants),
                Optional.empty(),
                List.of());
        write(claim);
        return claim;
    }

    /** Writes a gated pod, for the nodes of a cell if there is one. */
    Pod gatedPod(String name, Optional<Integer> cell, String... claims) {
        return write(
                ObjectMeta.of(NAMESPACE, name, apiServer.nextUid()), cell, true, Optional.empty(), List.of(claims));
    }

    /** Writes a pod that is bound to a node. */
    void boundPod(String name, String node, String claim) {
        write(
                ObjectMeta.of(NAMESPACE, name, apiServer.nextUid()),
                Optional.empty(),
                false,
                Optional.of(node),
                List.of(claim));
    }

    private Pod write(
            ObjectMeta meta, Optional<Integer> cell, boolean isGated, Optional<String> node, List<String> claims) {
        List<PodClaim> podClaims = new ArrayList<>();
        for (String claim : claims) {
            podClaims.add(new PodClaim("use-" + podClaims.size(), new PodClaim.ClaimSource.ClaimReference(claim)));
        }
        var selector = new TreeMap<String, String>();
        cell.ifPresent(each -> selector.put("claimstream.dev/cell", each.toString()));
        var pod = Pod.builder(meta)
                .nodeName(node)
                .nodeSelector(selector)
                .resourceClaims(podClaims)
                .schedulingGates(isGated ? List.of(Pod.ALLOCATION_GATE) : List.of())
                .build();
        apiServer.write(pod);
        if (isGated) {
            gatedPods.add(meta.uid());
        }
        return pod;
    }

    private Pod write(Pod pod, boolean isGated, Optional<String> node) {
        Optional<Integer> cell = Optional.ofNullable(pod.nodeSelector().get("claimstream.dev/cell"))
                .map(Integer::valueOf);
        return write(
                pod.meta(),
                cell,
                isGated,
                node,
                pod.claims().stream().map(ObjectKey::name).toList());
    }

    void write(ResourceClaim claim) {
        apiServer.write(claim);
        versions.put(claim.key(), apiServer.version());
        claimsByVersion.put(apiServer.version(), claim);
        checkDevices();
    }

    void write(ResourceClaim claim, Optional<Allocation> allocation, List<ClaimConsumer> consumers) {
        write(new ResourceClaim(claim.meta(), claim.spec(), allocation, consumers));
    }

    void delete(ClusterObject object) {
        apiServer.delete(object.kind(), object.key(), true);
    }

    Optional<ResourceClaim> findClaim(ObjectKey key) {
        return apiServer.find(Kind.RESOURCE_CLAIM, key, ResourceClaim.class);
    }

    Optional<Pod> findPod(ObjectKey key) {
        return apiServer.find(Kind.POD, key, Pod.class);
    }

    List<ResourceClaim> claims() {
        return apiServer.objectsOf(Kind.RESOURCE_CLAIM).stream()
                .map(ResourceClaim.class::cast)
                .toList();
    }

    List<Pod> pods() {
        return apiServer.objectsOf(Kind.POD).stream().map(Pod.class::cast).toList();
    }

    List<Node> nodes() {
        return apiServer.objectsOf(Kind.NODE).stream().map(Node.class::cast).toList();
    }

    static Optional<String> nodeOf(ResourceClaim claim) {
        return claim.allocation().flatMap(Allocation::nodeSelector).flatMap(NodeSelector::onlyNode);
    }

    // ---- cells

    /** Sends the observations to router and cells, which process some of them. */
    void runSomeSteps() {
        send();
        simulation.runSomeSteps();
        readOutputs();
    }

    /** Runs router and cells until they are idle. */
    void settle() {
        send();
        simulation.settle();
        readOutputs();
    }

    /** Runs router, cells and writer until nothing changes. Fails if they never end. */
    void finish() {
        settle();
        for (int rounds = 0; !uncommitted.isEmpty() || consumed < observations.size(); rounds++) {
            assertThat(rounds).as("rounds until nothing changes").isLessThan(40);
            while (!uncommitted.isEmpty()) {
                commit(0, false);
            }
            settle();
        }
    }

    private void send() {
        for (; consumed < observations.size(); consumed++) {
            simulation.observe(observations.get(consumed));
        }
    }

    private void readOutputs() {
        for (; read < simulation.outputs.size(); read++) {
            if (simulation.outputs.get(read) instanceof Output.DecisionMade(Decision decision)) {
                uncommitted.add(decision);
                if (decision.result() instanceof Decision.DecisionResult.Deallocation result) {
                    deallocations.add(decision);
                    check(decision, result);
                }
            }
        }
    }

    private void check(Decision decision, Decision.DecisionResult.Deallocation result) {
        ResourceClaim claim =
                Optional.ofNullable(claimsByVersion.get(result.claimVersion())).orElseThrow();
        assertThat(claim.meta().uid()).isEqualTo(decision.claimUid());
        assertThat(claim.allocation()).contains(result.allocation());
        assertThat(claim.reservedFor())
                .extracting(ClaimConsumer::uid)
                .isSubsetOf(result.consumer().uid());
        assertThat(gatedPods).contains(result.consumer().uid());
        assertThat(decided.add(List.of(decision.claimUid(), result.claimVersion(), result.consumer())))
                .as("once per change: %s", decision)
                .isTrue();
    }

    private void checkDevices() {
        SortedMap<DeviceId, ObjectKey> holders = new TreeMap<>();
        for (ResourceClaim claim : claims()) {
            claim.allocation().stream()
                    .flatMap(allocation -> ClaimDevices.devicesOf(allocation).stream())
                    .forEach(device -> assertThat(Optional.ofNullable(holders.put(device, claim.key())))
                            .as("other claim with %s beside %s", device, claim.key())
                            .isEmpty());
        }
    }

    // ---- writer

    int uncommitted() {
        return uncommitted.size();
    }

    /**
     * Commits a decision.
     *
     * @param index position among the decisions that are not committed
     * @param rejects whether a deallocation is rejected after the mark
     */
    void commit(int index, boolean rejects) {
        Decision decision = uncommitted.remove(index);
        findClaim(decision.claim())
                .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                .ifPresent(claim -> commit(decision, claim, rejects));
    }

    private void commit(Decision decision, ResourceClaim claim, boolean rejects) {
        long version = version(claim);
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> commit(decision, claim, allocated);
            case Decision.DecisionResult.Deallocation deallocation -> commit(decision, claim, deallocation, rejects);
            case Decision.DecisionResult.Revoked _ -> {
                if (claim.allocation().isEmpty()) {
                    report(decision, Observation.CommitOutcome.Result.REJECTED, version);
                }
            }
            case Decision.DecisionResult.Pending _, Decision.DecisionResult.Released _ -> {}
        }
    }

    private void commit(Decision decision, ResourceClaim claim, Decision.DecisionResult.Allocated allocated) {
        if (claim.allocation().isEmpty()) {
            if (version(claim) != allocated.claimVersion()) {
                return; // the cell repeats the decision for the newer version
            }
            write(claim, Optional.of(allocated.allocation()), allocated.reservedFor());
        } else if (!claim.allocation()
                .get()
                .results()
                .equals(allocated.allocation().results())) {
            return;
        } else {
            List<ClaimConsumer> consumers = new ArrayList<>(claim.reservedFor());
            allocated.reservedFor().stream()
                    .filter(each -> !consumers.contains(each))
                    .filter(each -> findPod(key(each.name()))
                            .filter(pod -> pod.meta().uid().equals(each.uid()))
                            .isPresent())
                    .forEach(consumers::add);
            if (!consumers.equals(claim.reservedFor())) {
                write(claim, claim.allocation(), consumers);
            }
        }
        report(decision, Observation.CommitOutcome.Result.COMMITTED, 0);
        if (decision.item().kind() == ItemId.ItemKind.POD) {
            openGate(decision);
        }
    }

    /** Opens the gate of a pod with its claims, unless one of them has the mark of a later deallocation. */
    private void openGate(Decision decision) {
        findPod(decision.item().key()).filter(Pod::isGated).ifPresent(pod -> {
            boolean isReady = pod.claims().stream()
                    .allMatch(key -> findClaim(key)
                            .filter(claim -> claim.allocation().isPresent())
                            .filter(claim -> claim.reservedFor().stream()
                                    .anyMatch(
                                            each -> each.uid().equals(pod.meta().uid())))
                            .filter(claim -> marks.getOrDefault(claim.meta().uid(), 0L) < decision.number())
                            .isPresent());
            if (isReady) {
                pod.claims().stream().flatMap(key -> findClaim(key).stream()).forEach(claim -> {
                    if (marks.remove(claim.meta().uid()) != null) {
                        write(claim);
                    }
                });
                write(pod, false, Optional.empty());
            }
        });
    }

    private void commit(
            Decision decision, ResourceClaim claim, Decision.DecisionResult.Deallocation result, boolean rejects) {
        if (claim.allocation().isEmpty()) {
            report(decision, Observation.CommitOutcome.Result.COMMITTED, 0);
            return;
        }
        boolean isAllowed = version(claim) == result.claimVersion()
                && claim.reservedFor().stream()
                        .allMatch(each -> each.uid().equals(result.consumer().uid()));
        if (!isAllowed) {
            report(decision, Observation.CommitOutcome.Result.REJECTED, result.claimVersion());
            return;
        }
        marks.put(claim.meta().uid(), decision.number());
        write(claim);
        boolean isGated = findPod(decision.item().key())
                .filter(pod -> pod.isGated()
                        && pod.meta().uid().equals(result.consumer().uid()))
                .isPresent();
        boolean isUsed = pods().stream()
                .anyMatch(pod -> pod.nodeName().isPresent() && pod.claims().contains(claim.key()));
        if (rejects || !isGated || isUsed) {
            report(decision, Observation.CommitOutcome.Result.REJECTED, version(claim));
            return;
        }
        write(claim, Optional.empty(), List.of());
        report(decision, Observation.CommitOutcome.Result.COMMITTED, 0);
    }

    /** The version of the last write of a claim. */
    long version(ResourceClaim claim) {
        return Optional.ofNullable(versions.get(claim.key())).orElseThrow();
    }

    private void report(Decision decision, Observation.CommitOutcome.Result result, long version) {
        observations.add(new Observation.CommitOutcome(
                decision.claimUid(),
                decision.number(),
                result,
                result == Observation.CommitOutcome.Result.REJECTED ? "it is in use" : "",
                version));
    }

    // ---- kube-scheduler and resourceclaim controller

    /** Binds pods whose gate is open, or clears their claims if their node does not admit them. */
    void schedule() {
        for (Pod pod : pods()) {
            boolean isOpen = !pod.isGated() && pod.nodeName().isEmpty();
            List<ResourceClaim> claims = pod.claims().stream()
                    .flatMap(key -> findClaim(key).stream())
                    .toList();
            Optional<String> name =
                    claims.stream().flatMap(claim -> nodeOf(claim).stream()).findFirst();
            if (isOpen && name.isPresent()) {
                boolean isAdmitted = nodes().stream()
                        .anyMatch(node -> node.meta().name().equals(name.get())
                                && !node.unschedulable()
                                && node.meta()
                                        .labels()
                                        .entrySet()
                                        .containsAll(pod.nodeSelector().entrySet()));
                if (isAdmitted) {
                    write(pod, false, name);
                } else {
                    claims.stream()
                            .filter(claim -> claim.reservedFor().stream()
                                    .allMatch(
                                            each -> each.uid().equals(pod.meta().uid())))
                            .findFirst()
                            .ifPresent(claim -> write(claim, Optional.empty(), List.of()));
                }
            }
        }
    }

    /** Removes deleted pods from the reservations of claims. */
    void removeDeletedConsumers() {
        for (ResourceClaim claim : claims()) {
            List<ClaimConsumer> existing = claim.reservedFor().stream()
                    .filter(each -> findPod(key(each.name()))
                            .filter(pod -> pod.meta().uid().equals(each.uid()))
                            .isPresent())
                    .toList();
            if (!existing.equals(claim.reservedFor())) {
                write(claim, claim.allocation(), existing);
            }
        }
    }
}
