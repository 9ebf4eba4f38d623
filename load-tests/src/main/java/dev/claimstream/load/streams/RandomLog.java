package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.load.GpuFleet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Records a random history of several cells.
 *
 * <p>Claims and pods are created and deleted, devices vanish, nodes fall silent or move to another cell, commit
 * outcomes are late, processes are killed, and router and cells are rebuilt.
 */
public final class RandomLog {
    private static final String CELL_LABEL = "claimstream.dev/cell";
    private static final int CELLS = 3;
    private static final int NODES = 12;
    private static final int DEVICES = 4;

    /** A few more claims than the devices allow. */
    private static final int CLAIMS_MAX = 30;

    /** Inputs between two kills, and changes of the cluster between two steps of the processes, on average. */
    private static final int KILL_EVERY = 1_000;

    private static final int CHANGE_EVERY = 6;

    private final Random random;
    private final RecordedCells cells;
    private final GpuFleet fleet = new GpuFleet(NODES, DEVICES);
    private final Map<String, Observation> published = new LinkedHashMap<>();
    private final List<ResourceClaim> claims = new ArrayList<>();
    private final Deque<Decision> unanswered = new ArrayDeque<>();
    private final Map<String, Long> generations = new TreeMap<>();
    private long version;
    private long number;
    private long kills;
    private long rebuilds;

    private RandomLog(long seed) {
        random = new Random(seed);
        cells = new RecordedCells(CELLS, random, this::answerLater);
    }

    /**
     * A recorded history.
     *
     * @param inputs number of inputs of all cells
     * @param holders intervals in which claims held devices, by a naive fold of the recording
     */
    public record RecordedHistory(
            HeapLog log, long inputs, long kills, long transfers, long rebuilds, List<HoldInterval> holders) {
        public RecordedHistory {
            holders = List.copyOf(holders);
        }
    }

    /**
     * Records a history.
     *
     * @param inputs number of inputs, at least
     * @param rebuilds number of rebuilds
     */
    public static RecordedHistory of(long seed, long inputs, int rebuilds) {
        var recording = new RandomLog(seed);
        recording.addFleet();
        while (recording.cells.inputs() < inputs) {
            recording.advance(inputs / (rebuilds + 1L));
        }
        return new RecordedHistory(
                recording.cells.log(),
                recording.cells.inputs(),
                recording.kills,
                recording.cells.transfers(),
                recording.rebuilds,
                recording.cells.holders());
    }

    private void advance(long rebuildEvery) {
        if (random.nextInt(CHANGE_EVERY) == 0 || !cells.step()) {
            change();
        }
        if (random.nextInt(KILL_EVERY) == 0) {
            cells.kill();
            kills++;
        }
        if (cells.inputs() > (rebuilds + 1) * rebuildEvery) {
            rebuild();
        }
    }

    private void addFleet() {
        cells.observe(new Observation.SettingsChanged(CellSettings.defaults()));
        GpuClaims.classes().values().forEach(this::upsert);
        for (int node = 0; node < NODES; node++) {
            upsert(node(node, random.nextInt(CELLS)));
            fleet.slices(node).forEach(this::upsert);
        }
    }

    private Node node(int number, int cell) {
        Node node = fleet.node(number);
        var labels = new TreeMap<>(node.meta().labels());
        labels.put(CELL_LABEL, Integer.toString(cell));
        return new Node(node.meta().withLabels(labels), List.of(), false, true);
    }

    private void change() {
        int chance = random.nextInt(100);
        if (claims.isEmpty() || (chance < 35 && claims.size() < CLAIMS_MAX)) {
            addClaim();
        } else if (chance < 60) {
            deleteClaim();
        } else if (chance < 66) {
            upsert(node(random.nextInt(NODES), random.nextInt(CELLS)));
        } else if (chance < 71) {
            upsert(changedSlice(random.nextInt(NODES)));
        } else if (chance < 75) {
            String node = GpuFleet.name(random.nextInt(NODES));
            publish("liveness/" + node, new Observation.NodeLiveness(stamp(), node, random.nextBoolean()));
        } else {
            Optional.ofNullable(unanswered.poll()).ifPresent(this::answer);
        }
    }

    private void addClaim() {
        String name = "claim-" + number++;
        var claim = new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                GpuClaims.spec(1 + random.nextInt(DEVICES), "40Gi"),
                Optional.empty(),
                List.of());
        claims.add(claim);
        if (random.nextInt(3) == 0) {
            upsert(pod(name));
        }
        upsert(claim);
    }

    private static Pod pod(String claim) {
        return Pod.builder(ObjectMeta.of("team", claim, "pod-" + claim))
                .resourceClaims(List.of(new PodClaim("gpu", new PodClaim.ClaimSource.ClaimReference(claim), 1)))
                .schedulingGates(List.of(Pod.ALLOCATION_GATE))
                .build();
    }

    private void deleteClaim() {
        ResourceClaim claim = claims.remove(random.nextInt(claims.size()));
        delete(Kind.POD, claim.key(), "pod-" + claim.meta().name());
        delete(Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid());
    }

    /** The slice of a node in a new generation, with all devices or without one. */
    private ResourceSlice changedSlice(int node) {
        ResourceSlice slice = fleet.slices(node).getFirst();
        long generation = generations.merge(slice.meta().name(), 1L, Long::sum) + 1;
        return slice.toBuilder()
                .generation(generation)
                .resourceSliceCount(1)
                .devices(slice.devices().subList(0, DEVICES - random.nextInt(2)))
                .build();
    }

    // ---- decisions

    private void answerLater(Decision decision) {
        if (decision.result() instanceof Decision.DecisionResult.Allocated
                || decision.result() instanceof Decision.DecisionResult.Revoked) {
            unanswered.add(decision);
        }
    }

    /** Answers as writer and watcher: nine of ten allocations are committed and observed. */
    private void answer(Decision decision) {
        boolean isCommitted = decision.result() instanceof Decision.DecisionResult.Allocated && random.nextInt(10) > 0;
        cells.observe(new Observation.CommitOutcome(
                decision.claimUid(),
                decision.number(),
                isCommitted ? Observation.CommitOutcome.Result.COMMITTED : Observation.CommitOutcome.Result.REJECTED,
                "",
                version));
        if (isCommitted && decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
            claims.stream()
                    .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                    .findFirst()
                    .ifPresent(claim -> upsert(new ResourceClaim(
                            claim.meta(),
                            claim.spec(),
                            Optional.of(allocated.allocation()),
                            published.containsKey(key(Kind.POD, claim.key()))
                                    ? List.of(ClaimConsumer.pod(
                                            claim.meta().name(),
                                            "pod-" + claim.meta().name()))
                                    : List.of())));
        }
    }

    private void rebuild() {
        rebuilds++;
        List<Observation> objects = published.values().stream()
                .sorted(Comparator.comparing(
                        each -> !(each instanceof Observation.ObjectUpserted(Stamp _, ClusterObject object)
                                && object.kind() == Kind.NODE)))
                .toList();
        Set<String> uids = new HashSet<>();
        claims.forEach(claim -> uids.add(claim.meta().uid()));
        cells.rebuild(objects, uids);
    }

    // ---- observations

    private Stamp stamp() {
        return new Stamp("load", 1, ++version);
    }

    private static String key(Kind kind, ObjectKey object) {
        return "%s/%s".formatted(kind, object);
    }

    private void upsert(ClusterObject object) {
        publish(key(object.kind(), object.key()), new Observation.ObjectUpserted(stamp(), object));
    }

    private void publish(String key, Observation observation) {
        published.put(key, observation);
        cells.observe(observation);
    }

    private void delete(Kind kind, ObjectKey object, String uid) {
        if (published.remove(key(kind, object)) != null) {
            cells.observe(new Observation.ObjectDeleted(stamp(), kind, object, uid));
        }
    }
}
