package dev.claimstream.history;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.HistoryObservation.ClaimDeletion;
import dev.claimstream.history.HistoryObservation.ClaimState;
import dev.claimstream.history.HistoryObservation.CommitReport;
import dev.claimstream.history.HistoryObservation.ListEnd;
import dev.claimstream.history.HistoryObservation.ListedKind;
import dev.claimstream.history.HistoryObservation.Origin;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.HistoryObservation.PodState;
import dev.claimstream.history.HistoryObservation.RestoredAllocation;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact.AllocationFact;
import dev.claimstream.history.LedgerFact.PendingFact;
import dev.claimstream.history.LedgerFact.ReleaseFact;
import dev.claimstream.history.LedgerFact.RevocationFact;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Inputs of a random cluster, with the true holders of each device.
 *
 * <p>Claims are decided, committed, rejected, revoked, cleared and deleted. Observations are repeated, lists are read again, cells are
 * rebuilt, nodes move to another cell, and other components allocate too. The truth is written down by the cluster itself, without the
 * fold. The number of claims at a time is limited, so that inputs and intervals grow with the steps.
 */
public final class RandomHistory {
    private static final String DRIVER = "gpu.example.com";
    private static final int DEVICES_PER_NODE = 4;
    private static final int CELLS = 2;

    /** Maximum number of claims; the devices of five nodes do not suffice for so many. */
    private static final int CLAIMS_MAX = 24;

    /** Largest time between two inputs. */
    private static final long STEP_MICROS = 2_000_000;

    /** A true interval; {@code to} is 0 while it lasts. */
    public record TrueInterval(String device, String claim, long from, long to) {
        /** An order without ties. */
        public static final Comparator<TrueInterval> ORDER = Comparator.comparing(TrueInterval::device)
                .thenComparing(TrueInterval::from)
                .thenComparing(TrueInterval::to)
                .thenComparing(TrueInterval::claim);
    }

    private final Random random;
    private final long stepMicros;
    private final List<HistoryInput> inputs = new ArrayList<>();
    private final List<TrueInterval> truth = new ArrayList<>();
    private final Map<String, SimulatedClaim> claims = new LinkedHashMap<>();
    private final Map<String, String> holders = new LinkedHashMap<>();
    private final List<DeviceId> devices = new ArrayList<>();
    private long at = 1_767_225_600_000_000L;
    private long version;
    private long number;
    private long epoch = 1;
    private int count;
    private int cell;

    private static final class SimulatedClaim {
        private final String name;
        private ClaimState last;
        private List<AllocatedDevice> allocated = List.of();

        /** Indexes of its open intervals in the expected intervals. */
        private List<Integer> open = List.of();

        private long decision;
        private boolean isForeign;

        private SimulatedClaim(String name, ClaimState last) {
            this.name = name;
            this.last = last;
        }

        private String uid() {
            return last.uid();
        }
    }

    private RandomHistory(long seed, long stepMicros) {
        random = new Random(seed);
        this.stepMicros = stepMicros;
    }

    public static RandomHistory of(long seed, int nodes, int steps) {
        return of(seed, nodes, steps, STEP_MICROS);
    }

    /**
     * A random history.
     *
     * @param stepMicros largest time between two inputs; a tenth of the inputs has the time of the input before
     */
    public static RandomHistory of(long seed, int nodes, int steps, long stepMicros) {
        var history = new RandomHistory(seed, stepMicros);
        history.addNodes(nodes);
        for (int step = 0; step < steps; step++) {
            history.step();
        }
        return history;
    }

    public List<HistoryInput> inputs() {
        return inputs;
    }

    /** The intervals that have ended, and those that last. */
    public List<TrueInterval> truth() {
        return truth;
    }

    public static int cells() {
        return CELLS;
    }

    /** The label {@code app} of the pod of a claim. */
    public static String appOf(String claim) {
        return claim.hashCode() % 2 == 0 ? "train" : "serve";
    }

    private void addNodes(int nodes) {
        for (int node = 0; node < nodes; node++) {
            List<SliceDevice> published = new ArrayList<>();
            for (int i = 0; i < DEVICES_PER_NODE; i++) {
                devices.add(new DeviceId(DRIVER, "node-" + node, "gpu-" + i));
                published.add(new SliceDevice("gpu-" + i, false, Map.of("memory", "80Gi"), "H100"));
            }
            add(new SliceState(origin(), "slice-" + node, DRIVER, "node-" + node, "node-" + node, published));
        }
    }

    private Origin origin() {
        return new Origin("watcher", epoch, ++version);
    }

    private void add(HistoryObservation observation, LedgerFact... facts) {
        at += random.nextInt(10) == 0 ? 0 : 1 + random.nextLong(stepMicros);
        inputs.add(new HistoryInput(cell, at, observation, Arrays.asList(facts)));
    }

    private void step() {
        int chance = random.nextInt(100);
        if (claims.isEmpty() || (chance < 20 && claims.size() < CLAIMS_MAX)) {
            create();
            return;
        }
        var all = new ArrayList<>(claims.values());
        SimulatedClaim claim = all.get(random.nextInt(all.size()));
        switch (chance / 4) {
            case 0, 1, 2, 3, 4 -> delete(claim); // makes room
            case 5, 6, 7, 8, 9 -> decide(claim);
            case 10, 11, 12 -> show(claim);
            case 13, 14, 15 -> clear(claim);
            case 16, 17 -> delete(claim);
            case 18 -> reject(claim);
            case 19 -> add(claim.last); // repeated
            case 20 -> allocateOtherwise(claim);
            case 21 -> rebuild();
            case 22 -> cell = random.nextInt(CELLS);
            case 23 -> relist();
            default -> add(new OtherInput());
        }
    }

    private void create() {
        String name = "claim-" + count++;
        add(new PodState(new Origin("watcher", epoch, 0), "team", "pod-of-" + name, Map.of("app", appOf(name))));
        var state = new ClaimState(
                origin(), "uid-" + name, "team", name, Map.of("gpus", "gpu"), Map.of(), Optional.empty(), List.of());
        var claim = new SimulatedClaim(name, state);
        claims.put(claim.uid(), claim);
        add(state, new PendingFact(claim.uid(), "team", name, "pod-of-" + name, "NoFreeDevice", "none free"));
    }

    /** Free devices of one node, as many as it has. */
    private List<AllocatedDevice> free(int count) {
        List<AllocatedDevice> free = new ArrayList<>();
        int first = random.nextInt(devices.size());
        for (int i = 0; i < devices.size() && free.size() < count; i++) {
            DeviceId device = devices.get((first + i) % devices.size());
            boolean isOnNode = free.isEmpty() || free.getFirst().device().pool().equals(device.pool());
            if (isOnNode && !holders.containsKey(device.toString())) {
                free.add(AllocatedDevice.whole(device, "gpus"));
            }
        }
        return free;
    }

    private AllocationFact fact(SimulatedClaim claim) {
        return new AllocationFact(
                claim.uid(),
                claim.decision,
                "team",
                claim.name,
                claim.allocated.getFirst().device().pool(),
                "pod-of-" + claim.name,
                claim.allocated,
                List.of("pod-of-" + claim.name));
    }

    private void decide(SimulatedClaim claim) {
        if (!claim.allocated.isEmpty()) {
            if (!claim.isForeign) { // the decision is repeated with another number
                claim.decision = ++number;
                add(new OtherInput(), fact(claim));
            }
            return;
        }
        List<AllocatedDevice> free = free(1 + random.nextInt(3));
        if (!free.isEmpty()) {
            claim.decision = ++number;
            claim.allocated = free;
            add(new OtherInput(), fact(claim));
            hold(claim);
        }
    }

    private void hold(SimulatedClaim claim) {
        claim.open = IntStream.range(truth.size(), truth.size() + claim.allocated.size())
                .boxed()
                .toList();
        claim.allocated.forEach(each -> {
            holders.put(each.device().toString(), claim.uid());
            truth.add(new TrueInterval(each.device().toString(), claim.name, at, 0));
        });
    }

    private void free(SimulatedClaim claim) {
        claim.allocated.forEach(each -> holders.remove(each.device().toString()));
        claim.open.forEach(place -> {
            TrueInterval open = truth.get(place);
            truth.set(place, new TrueInterval(open.device(), open.claim(), open.from(), at));
        });
        claim.open = List.of();
        claim.allocated = List.of();
        claim.isForeign = false;
    }

    private void show(SimulatedClaim claim) {
        if (!claim.allocated.isEmpty() && claim.last.allocation().isEmpty()) {
            if (random.nextBoolean()) {
                add(new CommitReport(claim.uid(), claim.decision, "committed", at));
            }
            observe(claim, Optional.of(claim.allocated));
        }
    }

    private void observe(SimulatedClaim claim, Optional<List<AllocatedDevice>> allocation, LedgerFact... facts) {
        claim.last = new ClaimState(
                origin(),
                claim.uid(),
                "team",
                claim.name,
                claim.last.classes(),
                Map.of(),
                allocation,
                allocation.isPresent() ? List.of("pod-of-" + claim.name) : List.of());
        add(claim.last, facts);
    }

    /** The ledger has a release for each decision of Claimstream; sometimes a cell that lost its rows has none. */
    private LedgerFact[] release(SimulatedClaim claim) {
        return claim.isForeign || claim.allocated.isEmpty() || random.nextInt(10) == 0
                ? new LedgerFact[0]
                : new LedgerFact[] {new ReleaseFact(claim.uid(), claim.decision)};
    }

    private void clear(SimulatedClaim claim) {
        if (claim.last.allocation().isPresent()) {
            observe(claim, Optional.empty(), release(claim));
            free(claim);
        }
    }

    private void delete(SimulatedClaim claim) {
        add(new ClaimDeletion("watcher", claim.uid()), release(claim));
        free(claim);
        claims.remove(claim.uid());
    }

    private void reject(SimulatedClaim claim) {
        if (!claim.allocated.isEmpty() && claim.last.allocation().isEmpty()) {
            if (random.nextBoolean()) {
                add(new OtherInput(), new RevocationFact(claim.uid()));
            }
            add(
                    new CommitReport(claim.uid(), claim.decision, "rejected", at),
                    new ReleaseFact(claim.uid(), claim.decision));
            free(claim);
        }
    }

    /** Another component allocates a claim that Claimstream has not committed yet. */
    private void allocateOtherwise(SimulatedClaim claim) {
        if (claim.last.allocation().isPresent()) {
            return;
        }
        List<AllocatedDevice> free = free(1);
        if (free.isEmpty()) {
            return;
        }
        observe(claim, Optional.of(free), release(claim));
        free(claim);
        claim.allocated = free;
        claim.isForeign = true;
        hold(claim);
    }

    /** The cell loses its state, and receives every object again. */
    private void rebuild() {
        claims.values().forEach(claim -> {
            add(claim.last);
            if (!claim.allocated.isEmpty() && !claim.isForeign) {
                add(new RestoredAllocation(fact(claim)));
            }
        });
    }

    /** The watcher lists again; one claim was deleted meanwhile. */
    private void relist() {
        epoch++;
        var all = new ArrayList<>(claims.values());
        Optional<SimulatedClaim> missed =
                random.nextBoolean() ? Optional.of(all.get(random.nextInt(all.size()))) : Optional.empty();
        all.stream()
                .filter(each -> missed.filter(each::equals).isEmpty())
                .forEach(claim -> observe(claim, claim.last.allocation()));
        for (int each = 0; each < CELLS; each++) {
            cell = each;
            boolean isLast = each == CELLS - 1;
            add(
                    new ListEnd("watcher", ListedKind.CLAIM, epoch, 0, 1),
                    isLast ? missed.map(this::release).orElse(new LedgerFact[0]) : new LedgerFact[0]);
        }
        missed.ifPresent(claim -> {
            free(claim);
            claims.remove(claim.uid());
        });
    }
}
