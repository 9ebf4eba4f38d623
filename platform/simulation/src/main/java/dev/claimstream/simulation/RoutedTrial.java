package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.allocation.router.MergedReason;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Changes on several cells, which are tried and undone. It is used once.
 *
 * <p>The cells decide as usual. This class leases items to them in place of the router: one cell at a time, the cell with
 * the most free devices first, until a cell allocates the item. Unlike the router it has the present number of free
 * devices, asks equal cells by index, decides gangs pod by pod, and deallocates nothing for an item.
 */
final class RoutedTrial implements AutoCloseable {
    /** Rounds of offers that are accepted after one change. */
    private static final int ROUNDS_MAX = 100;

    /** Higher than the number of every lease of the router. */
    private static final long FIRST_ATTEMPT = Long.MAX_VALUE / 2;

    private final List<Trial> trials = new ArrayList<>();
    private final Map<ItemId, Integer> allocating = new HashMap<>();
    private final Map<ItemId, ItemOutcome> offered = new LinkedHashMap<>();
    private long attempt = FIRST_ATTEMPT;
    private boolean isComplete = true;

    /** @param at time of all inputs of the trial */
    RoutedTrial(List<SimulatedCell> cells, Instant at) {
        cells.forEach(each -> trials.add(Trial.begin(each.cell(), at)));
    }

    /** Tries a request, with one more node like a given one. */
    TrialOutcome run(SimulationRequest request, Optional<Node> extra) {
        request.policy().ifPresent(policy -> trials.forEach(trial -> Simulation.setPolicy(trial, policy)));
        request.addedNodes().forEach((shape, count) -> addNodes(NodeCopies.find(states(), shape), count));
        extra.ifPresent(node -> addNodes(node, 1));
        List<ClusterObject> evicted = new ArrayList<>();
        request.drainedNodes().forEach(node -> evicted.addAll(drain(node)));
        request.objects().stream()
                .filter(each -> !isOfItem(each.kind()))
                .sorted(Comparator.comparingInt(each -> Simulation.order(each.kind())))
                .forEach(this::upsert);
        acceptOffers();
        Outcomes reallocation = allocate(evicted);
        Outcomes requested = allocate(request.objects().stream()
                .filter(each -> isOfItem(each.kind()))
                .map(each -> Simulation.withCreationTime(each, trials.getFirst().at()))
                .toList());
        acceptOffers();
        Set<ItemId> named = new HashSet<>(reallocation.items());
        named.addAll(requested.items());
        return new TrialOutcome(
                requested.outcomes,
                reallocation.outcomes,
                requested.withoutClaims,
                offered.values().stream()
                        .filter(each -> !named.contains(each.item()))
                        .toList(),
                FleetUsage.of(states()),
                isComplete,
                allocating);
    }

    private static boolean isOfItem(Kind kind) {
        return kind == Kind.POD || kind == Kind.RESOURCE_CLAIM;
    }

    private List<State> states() {
        return trials.stream().map(Trial::state).toList();
    }

    // ---- objects

    /** The cell of a node; empty if no cell has the node. */
    private Optional<Trial> ownerOf(String node) {
        return trials.stream()
                .filter(trial -> trial.state().inventory().nodes().containsKey(node))
                .findFirst();
    }

    private void addNodes(Node node, int count) {
        NodeCopies.add(ownerOf(node.meta().name()).orElseThrow(), node, count);
    }

    private List<ClusterObject> drain(String node) {
        Trial owner = ownerOf(node).orElseThrow(() -> Simulation.unknownNode(node));
        List<ClusterObject> created = owner.evict(node);
        for (ClusterObject each : created) {
            trials.forEach(trial -> trial.delete(each.kind(), each.key()));
        }
        return created;
    }

    /** Publishes an object that is no item. Nodes and slices are published to one cell, everything else to every cell. */
    private void upsert(ClusterObject object) {
        Optional<String> node = object instanceof Node each
                ? Optional.of(each.meta().name())
                : object instanceof ResourceSlice slice && slice.scope() instanceof NodeScope.SingleNode(String name)
                        ? Optional.of(name)
                        : Optional.empty();
        if (node.isPresent() || object.kind() == Kind.RESOURCE_SLICE) {
            node.flatMap(this::ownerOf)
                    .or(() -> withSlicesOf(node))
                    .orElseGet(this::withFewestNodes)
                    .upsert(object);
        } else {
            trials.forEach(trial -> trial.upsert(object));
        }
    }

    /** The cell that has slices of a node before the node. */
    private Optional<Trial> withSlicesOf(Optional<String> node) {
        return node.flatMap(name -> trials.stream()
                .filter(trial -> !trial.state().inventory().slices().on(name).isEmpty())
                .findFirst());
    }

    private Trial withFewestNodes() {
        return trials.stream()
                .min(Comparator.comparingInt(
                        trial -> trial.state().inventory().nodes().size()))
                .orElseThrow();
    }

    // ---- items

    /** The outcomes of pods and claims, and the pods that need no claim. */
    private record Outcomes(List<ItemOutcome> outcomes, List<ItemId> withoutClaims) {
        List<ItemId> items() {
            return outcomes.stream().map(ItemOutcome::item).toList();
        }
    }

    private Outcomes allocate(List<ClusterObject> objects) {
        Map<ObjectKey, ResourceClaim> claims = new LinkedHashMap<>();
        List<Pod> pods = new ArrayList<>();
        for (ClusterObject object : objects) {
            if (object instanceof Pod pod) {
                pods.add(pod);
                trials.forEach(trial -> trial.upsert(pod));
            } else if (object instanceof ResourceClaim claim) {
                claims.put(claim.key(), claim);
            }
        }
        List<ItemOutcome> outcomes = new ArrayList<>();
        pods.stream()
                .filter(pod -> !pod.claims().isEmpty())
                .sorted(Comparator.comparingInt(Pod::priority).reversed())
                .forEach(pod -> outcomes.add(
                        allocate(ItemId.pod(pod.key()), pod.meta().uid(), pod.claims(), claims, pod.nodeName())));
        claims.values().stream()
                .filter(claim -> trials.getFirst().state().podsOf(claim.key()).isEmpty())
                .forEach(claim -> outcomes.add(allocate(
                        ItemId.claim(claim.key()),
                        claim.meta().uid(),
                        List.of(claim.key()),
                        claims,
                        Optional.empty())));
        return new Outcomes(
                outcomes,
                pods.stream()
                        .filter(pod -> pod.claims().isEmpty())
                        .map(pod -> ItemId.pod(pod.key()))
                        .toList());
    }

    private ItemOutcome allocate(
            ItemId item,
            String uid,
            List<ObjectKey> keys,
            Map<ObjectKey, ResourceClaim> added,
            Optional<String> nodeName) {
        SortedSet<Integer> bound = boundCells(keys);
        if (bound.size() > 1) {
            return new ItemOutcome(
                    item,
                    Optional.of(Reason.SpansCells),
                    "its claims are in cells %s, but its node can be in only one cell".formatted(bound),
                    Optional.empty(),
                    List.of());
        }
        List<Integer> candidates = bound.isEmpty() ? candidates(nodeName) : List.copyOf(bound);
        Map<Integer, ItemOutcome> pending = new LinkedHashMap<>();
        for (int cell : candidates) {
            publishClaims(cell, keys, added);
            Optional<ItemOutcome> outcome = lease(cell, item, uid);
            if (outcome.filter(ItemOutcome::isAllocated).isPresent()) {
                return outcome.get();
            }
            outcome.ifPresent(each -> pending.put(cell, each));
        }
        return nearest(item, pending);
    }

    /** The cells that have allocated one of the claims. */
    private SortedSet<Integer> boundCells(List<ObjectKey> keys) {
        SortedSet<Integer> cells = new TreeSet<>();
        for (int cell = 0; cell < trials.size(); cell++) {
            State state = trials.get(cell).state();
            if (keys.stream()
                    .flatMap(key -> state.claim(key).stream())
                    .anyMatch(
                            claim -> state.decidedAllocation(claim.meta().uid()).isPresent())) {
                cells.add(cell);
            }
        }
        return cells;
    }

    /** The cells in the order in which they are asked. */
    private List<Integer> candidates(Optional<String> nodeName) {
        Optional<Trial> owner = nodeName.flatMap(this::ownerOf);
        return owner.map(trial -> List.of(trials.indexOf(trial)))
                .orElseGet(() -> IntStream.range(0, trials.size())
                        .boxed()
                        .sorted(Comparator.comparingLong((Integer cell) ->
                                        trials.get(cell).state().freeDevices())
                                .reversed())
                        .toList());
    }

    /** A cell gets the claims of an item only with its lease. Other cells may have claims that exist already. */
    private void publishClaims(int cell, List<ObjectKey> keys, Map<ObjectKey, ResourceClaim> added) {
        Trial trial = trials.get(cell);
        for (ObjectKey key : keys) {
            Optional<ResourceClaim> claim = Optional.ofNullable(added.get(key))
                    .or(() -> states().stream()
                            .flatMap(state -> state.claim(key).stream())
                            .findFirst());
            boolean isKnown = claim.map(each -> each.meta().uid())
                    .equals(trial.state().claim(key).map(each -> each.meta().uid()));
            claim.filter(_ -> !isKnown).ifPresent(trial::upsert);
        }
    }

    private Optional<ItemOutcome> lease(int cell, ItemId item, String uid) {
        Trial trial = trials.get(cell);
        long number = states().stream()
                .mapToLong(state -> state.count().decisions())
                .max()
                .orElseThrow();
        trial.step(new Observation.ItemAssigned(item, uid, attempt++, number, List.of()));
        isComplete &= trial.finishWork(Simulation.SLICES_MAX);
        Optional<ItemOutcome> outcome = ItemOutcome.of(trial.state(), item);
        outcome.filter(ItemOutcome::isAllocated).ifPresent(_ -> allocating.put(item, cell));
        return outcome;
    }

    /** The outcome of an item that no cell allocates: that of the cell that comes nearest. */
    private static ItemOutcome nearest(ItemId item, Map<Integer, ItemOutcome> pending) {
        return pending.entrySet().stream()
                .max(Comparator.comparingInt(each ->
                        each.getValue().reason().map(MergedReason::proximity).orElse(-1)))
                .map(each -> pending.size() == 1
                        ? each.getValue()
                        : new ItemOutcome(
                                item,
                                each.getValue().reason(),
                                "%s (cell %d, the nearest of %d)"
                                        .formatted(each.getValue().message(), each.getKey(), pending.size()),
                                Optional.empty(),
                                List.of()))
                .orElseGet(() -> new ItemOutcome(
                        item,
                        Optional.of(Reason.NoUsableNode),
                        "no cell has an answer for it",
                        Optional.empty(),
                        List.of()));
    }

    // ---- offers

    /** A pending item that fits in a cell. */
    private record CellOffer(ItemId item, String uid, int cell) {}

    /** Leases the pending items that cells offer, in queue order: an item to the first cell that offers it. */
    private void acceptOffers() {
        for (int round = 0; round < ROUNDS_MAX; round++) {
            trials.forEach(trial -> isComplete &= trial.finishWork(Simulation.SLICES_MAX));
            SortedMap<Rank, CellOffer> offers = new TreeMap<>();
            for (int cell = 0; cell < trials.size(); cell++) {
                addOffers(cell, offers);
            }
            if (offers.isEmpty()) {
                return;
            }
            offers.values().forEach(this::accept);
        }
        isComplete = false;
    }

    /** Adds the items that a cell has offered, unless another cell has offered them, too. */
    private void addOffers(int cell, SortedMap<Rank, CellOffer> offers) {
        Trial trial = trials.get(cell);
        for (CellReport report : trial.takeReports()) {
            if (report instanceof CellReport.OfferMade(ItemId item, boolean deallocates)
                    && !deallocates
                    && !allocating.containsKey(item)) {
                trial.state()
                        .item(item)
                        .ifPresent(row -> offers.putIfAbsent(row.rank(), new CellOffer(item, row.uid(), cell)));
            }
        }
    }

    private void accept(CellOffer offer) {
        lease(offer.cell, offer.item, offer.uid)
                .filter(ItemOutcome::isAllocated)
                .ifPresent(outcome -> {
                    offered.put(offer.item, outcome);
                    for (int other = 0; other < trials.size(); other++) {
                        if (other != offer.cell) {
                            trials.get(other).step(new Observation.OfferDeclined(offer.item, offer.uid));
                        }
                    }
                });
    }

    @Override
    public void close() {
        trials.reversed().forEach(Trial::close);
    }
}
