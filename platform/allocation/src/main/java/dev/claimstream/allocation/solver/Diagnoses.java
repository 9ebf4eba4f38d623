package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Holding;
import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Determines why no node fits. It searches again without allocations, and then without taints. If no solution exists,
 * it counts candidates, and at last removes limits jointly ({@link JointLimits}). The first cause found is the reason;
 * the node with the fewest blocked devices is the nearest node.
 */
final class Diagnoses {
    /** Search steps of one relaxation over all classes; a class that exceeds its share is skipped. */
    static final long STEPS_MAX = 20_000;

    static final long STEPS_OF_CLASS_MIN = 200;

    private static final int SHORTAGES_MAX = 2;
    private static final int LISTED_MAX = 4;

    private final Question question;
    private final ShapeIndex index;
    private final Inventory inventory;
    private final long stepsMax;
    private final WorkMeter meter;

    Diagnoses(Question question, ShapeIndex index, Inventory inventory, long stepsMax, WorkMeter meter) {
        this.question = question;
        this.index = index;
        this.inventory = inventory;
        this.stepsMax = stepsMax;
        this.meter = meter;
    }

    Plan.Diagnosis of(Found found) {
        if (found.closed()) {
            return plain(Reason.Earmarked, "the nodes that fit are kept for an older item");
        }
        if (found.spent()) {
            return plain(
                    Reason.Undecided, "the search was not finished within %,d steps on a node".formatted(stepsMax));
        }
        if (found.failing().isPresent()) {
            return elsewhere(found).orElseGet(() -> failing(found.failing().get()));
        }
        if (index.classes().isEmpty()) {
            return noNode();
        }
        return pretend(EnumSet.of(Relaxation.HELD))
                .filter(pretended -> !pretended.blocked.isEmpty())
                .map(this::inUse)
                .or(() ->
                        pretend(EnumSet.of(Relaxation.HELD, Relaxation.TAINTS)).flatMap(this::tainted))
                .or(this::selectsNothing)
                .or(() -> new CapacityLimits(question, index, meter).diagnosis())
                .or(this::outOfReach)
                .or(this::tooFew)
                .or(() -> new JointLimits(question, index, stepsMax, meter).diagnosis(needs()))
                .orElseGet(() -> plain(Reason.DoesNotFit, "no node has all requested devices together"));
    }

    /** Diagnoses a pod that fits on a node except for the node resources that its devices consume. */
    static Plan.Diagnosis noRoom(Found.NoRoom found) {
        String node = found.node().name();
        return switch (found.against()) {
            case DeviceRoom.Against.Full(var lacking) -> {
                String nearest = "%s has the devices and, with what they take of it, too little of %s"
                        .formatted(node, String.join(" and ", lacking));
                yield new Plan.Diagnosis(
                        Reason.NodeFull,
                        "no node with the devices has room for the pod and them, nearest: " + nearest,
                        Optional.of(new Plan.NearestMiss(node, nearest, List.of())));
            }
            case DeviceRoom.Against.Unaccountable(String message) ->
                new Plan.Diagnosis(
                        Reason.NotAccountable, message, Optional.of(new Plan.NearestMiss(node, message, List.of())));
        };
    }

    private static Plan.Diagnosis plain(Reason reason, String message) {
        return new Plan.Diagnosis(reason, message, Optional.empty());
    }

    // ---- failures
    // ------------------------------------------------------------------------------------------------

    private Plan.Diagnosis failing(Found.Failing failing) {
        String node = failing.node().name();
        return switch (failing.failure()) {
            case Outcome.Failure.OfSelector of -> {
                Slot slot = slot(failing.node(), failing.nodeClass(), of.device());
                Want want = question.wants().get(of.column());
                yield plain(
                        Reason.SelectorError, want.failure(question, slot).orElse("a selector failed on node " + node));
            }
            case Outcome.Failure.OfAttribute of -> {
                Slot slot = slot(failing.node(), failing.nodeClass(), of.device());
                yield plain(
                        Reason.SelectorError,
                        question.bonds().stream()
                                .filter(bond -> bond.binds(of.column()))
                                .map(bond -> question.sources().get(bond.source(of.column())))
                                .flatMap(source -> source.failure(slot).stream())
                                .findFirst()
                                .orElse("a derived attribute failed on node " + node));
            }
            case Outcome.Failure.PoolIncomplete incomplete ->
                plain(
                        Reason.PoolIncomplete,
                        "asks for all devices, but resource pool %s is currently being updated%s"
                                .formatted(
                                        failing.node().incompletePools().getFirst(),
                                        disabled(failing.node()
                                                        .incompletePools()
                                                        .getFirst())
                                                .map(each -> ": " + each)
                                                .orElse("")));
            case Outcome.Failure.PoolInvalid invalid ->
                plain(
                        Reason.PoolInvalid,
                        "invalid resource pools were encountered: %s contradicts itself (two devices or counter sets of one name, or counters that are not declared)"
                                .formatted(failing.node().invalidPools().getFirst()));
            case Outcome.Failure.AllAgainstConstraint against -> allAgainstConstraint(failing, against);
            case Outcome.Failure.TooMany tooMany -> plain(Reason.LimitExceeded, tooMany.message());
        };
    }

    /** Reports the set of all devices first and upstream's message last, because upstream names only one device. */
    private Plan.Diagnosis allAgainstConstraint(Found.Failing failing, Outcome.Failure.AllAgainstConstraint against) {
        Want want = question.wants().get(against.column());
        List<Slot> all = IntStream.range(0, failing.nodeClass().layout.size)
                .filter(device -> failing.nodeClass().layout.verdict(device, want.column()) != Verdict.NO)
                .mapToObj(device -> slot(failing.node(), failing.nodeClass(), device))
                .toList();
        String node = failing.node().name();
        String spread = question.bonds().stream()
                .filter(bond -> bond.binds(want.column()))
                .map(bond -> AttributeCounts.of(question, bond, want, all).text())
                .collect(Collectors.joining("; "));
        String nearest = "request %s takes all %d matching %s of node %s (allocationMode All): %s"
                .formatted(
                        want.resultName(), all.size(), want.deviceClass().meta().name(), node, spread);
        return new Plan.Diagnosis(
                Reason.ConstraintUnsatisfied,
                "%s; request %s: cannot add device %s because a claim constraint would not be satisfied"
                        .formatted(
                                nearest,
                                want.resultName(),
                                slot(failing.node(), failing.nodeClass(), against.device())
                                        .holding()
                                        .device()),
                Optional.of(new Plan.NearestMiss(node, nearest, List.of())));
    }

    private static Slot slot(NodeView node, NodeClass nodeClass, int device) {
        return node.slots().get(nodeClass.layout.positions[device]);
    }

    private Plan.Diagnosis noNode() {
        SortedMap<String, Node> nodes = inventory.nodes();
        Optional<String> only = question.shape().rules().onlyNode();
        String message = only.map(name ->
                        "node %s, the only one for the pod or its other claims, %s".formatted(name, state(name)))
                .orElseGet(() -> nodes.size() == 1
                        ? "the only node %s %s".formatted(nodes.firstKey(), state(nodes.firstKey()))
                        : "none of %d nodes is usable and allowed for the pod".formatted(nodes.size()));
        return plain(Reason.NoUsableNode, message);
    }

    private String state(String name) {
        Node node = inventory.nodes().get(name);
        if (node == null) {
            return "is not known";
        }
        return question.shape()
                .rules()
                .against(node)
                .map(against -> "does not do: " + against.text())
                .orElse("is silent");
    }

    // ---- relaxations
    // -------------------------------------------------------------------------------------------------------------

    /** A solution on a node under a relaxation, with the assigned devices that are not available now. */
    private record Pretended(NodeView node, List<Allocations.Pick> picks, List<Blocked> blocked) {}

    /**
     * A required device that is not available now.
     *
     * @param shortages limits that the device exceeds after the devices before it
     */
    private record Blocked(Reason reason, List<Plan.Blocker> blockers, List<Shortage> shortages) {}

    /**
     * Returns the diagnosis of a node that only lacks unallocated devices, although a constraint on all devices fails
     * on another node.
     */
    private Optional<Plan.Diagnosis> elsewhere(Found found) {
        boolean isOfNode = found.failing()
                .filter(each -> each.failure() instanceof Outcome.Failure.AllAgainstConstraint)
                .isPresent();
        return isOfNode
                ? pretend(
                                EnumSet.of(Relaxation.HELD),
                                each -> each.outcome(question, found.policy(), stepsMax) instanceof Outcome.Misses)
                        .filter(pretended -> !pretended.blocked.isEmpty())
                        .map(this::inUse)
                : Optional.empty();
    }

    private Optional<Pretended> pretend(Set<Relaxation> relaxed) {
        return pretend(relaxed, each -> true);
    }

    private Optional<Pretended> pretend(Set<Relaxation> relaxed, Predicate<NodeClass> among) {
        Optional<Pretended> least = Optional.empty();
        List<NodeClass> nodeClasses = index.classes();
        long stepsOfClass = stepsOfClass(nodeClasses);
        for (NodeClass nodeClass : nodeClasses) {
            if (!among.test(nodeClass)) {
                continue;
            }
            Outcome outcome = pretending(nodeClass, relaxed, stepsOfClass);
            if (outcome instanceof Outcome.Fits fits) {
                NodeView node = nodeClass.nodes.first();
                List<Allocations.Pick> picks = picks(new Found.Fit(node, nodeClass, fits));
                var candidate = new Pretended(node, picks, blocked(nodeClass, node, fits));
                if (least.isEmpty() || isNearer(candidate, least.get())) {
                    least = Optional.of(candidate);
                }
            }
        }
        return least;
    }

    /** Charges the relaxation of allocations without diagnosing, for a reason that is known already. */
    void chargeHeld() {
        List<NodeClass> nodeClasses = index.classes();
        nodeClasses.forEach(each -> pretending(each, EnumSet.of(Relaxation.HELD), stepsOfClass(nodeClasses)));
    }

    private Outcome pretending(NodeClass nodeClass, Set<Relaxation> relaxed, long stepsOfClass) {
        Outcome outcome = nodeClass.pretending(question, relaxed, Collections.emptySet(), stepsOfClass);
        meter.chargeSearch(outcome.steps(), nodeClass.layout.size);
        return outcome;
    }

    private long stepsOfClass(List<NodeClass> nodeClasses) {
        return Math.min(stepsMax, Math.max(STEPS_OF_CLASS_MIN, STEPS_MAX / Math.max(1, nodeClasses.size())));
    }

    private static boolean isNearer(Pretended one, Pretended other) {
        int more = one.blocked.size() - other.blocked.size();
        return more != 0 ? more < 0 : one.node.compareTo(other.node) < 0;
    }

    /** Allocates the assigned devices one by one, and returns those that are not available. */
    private List<Blocked> blocked(NodeClass nodeClass, NodeView node, Outcome.Fits fits) {
        Stock stock = nodeClass.state.stock(nodeClass.layout);
        var amounts = new RemainingAmounts(question, true);
        List<Blocked> blocked = new ArrayList<>();
        for (int i = 0; i < fits.devices().length; i++) {
            int device = fits.devices()[i];
            int column = fits.columns()[i];
            Want want = question.wants().get(column);
            Slot slot = slot(node, nodeClass, device);
            if (!nodeClass.state.isOpen(device)) {
                blocked.add(new Blocked(Reason.DevicesInUse, blockers(List.of(slot.holding())), List.of()));
            } else if (!stock.hasRoom(column, device)) {
                blocked.add(new Blocked(
                        Reason.CapacityExhausted, blockers(List.of(slot.holding())), amounts.shortages(want, slot)));
            } else if (!stock.hasCounters(device)) {
                blocked.add(withoutCounters(slot, amounts.shortages(want, slot), amounts.overdrawn(slot)));
            } else {
                stock.take(column, device);
                amounts.take(want, slot);
            }
        }
        return blocked;
    }

    /** Lists only holders that consume the counter that is short: only their release helps. */
    private Blocked withoutCounters(Slot slot, List<Shortage> shortages, Optional<Shortage> overdrawn) {
        List<Shortage> found = shortages.isEmpty() ? overdrawn.stream().toList() : shortages;
        List<Holding> holdings = slot.counters().stream()
                .flatMap(use -> found.stream().flatMap(each -> switch (each) {
                    case Shortage.OfCounter of -> use.pool().heldBy(of.counter()).stream();
                    case Shortage.OfGroups of -> use.pool().heldIn(of.counterSet()).stream();
                    case Shortage.OfCapacity of -> Stream.<Holding>empty();
                }))
                .distinct()
                .toList();
        return new Blocked(Reason.CountersExhausted, blockers(holdings), found);
    }

    private List<Plan.Blocker> blockers(List<Holding> holdings) {
        return holdings.stream()
                .map(holding -> new Plan.Blocker(
                        holding.device(),
                        holding.holders().stream()
                                .map(holder -> new Plan.DeviceHolder(holder.claim(), inventory.stateOf(holder)))
                                .distinct()
                                .toList()))
                .toList();
    }

    private List<Allocations.Pick> picks(Found.Fit fit) {
        List<Allocations.Pick> picks = new ArrayList<>();
        for (int claim = 0; claim < question.requests().size(); claim++) {
            picks.addAll(Allocations.picks(question, fit, claim));
        }
        return picks;
    }

    private Plan.Diagnosis inUse(Pretended pretended) {
        Reason reason = pretended.blocked.getFirst().reason;
        List<Plan.Blocker> blockers = pretended.blocked.stream()
                .flatMap(each -> each.blockers.stream())
                .distinct()
                .toList();
        String node = pretended.node.name();
        int wanted = pretended.picks.size();
        String nearest = "%s has %d of %d%s%s"
                .formatted(
                        node,
                        wanted - pretended.blocked.size(),
                        wanted,
                        blockers.isEmpty() ? "" : ", " + held(blockers),
                        pretended.blocked.stream()
                                .flatMap(each -> each.shortages.stream())
                                .limit(SHORTAGES_MAX)
                                .map(each -> "; " + each.text())
                                .collect(Collectors.joining()));
        String text = reason == Reason.CountersExhausted
                ? "no room for %s beside other partitions, nearest: %s"
                : reason == Reason.CapacityExhausted
                        ? "not enough capacity left for %s, nearest: %s"
                        : "%s in use, nearest: %s";
        return new Plan.Diagnosis(
                reason, text.formatted(needs(), nearest), Optional.of(new Plan.NearestMiss(node, nearest, blockers)));
    }

    private static String held(List<Plan.Blocker> blockers) {
        Plan.Blocker first = blockers.getFirst();
        String text = "%s is held by %s"
                .formatted(
                        first.device().device(),
                        String.join(
                                " and ",
                                first.holders().stream().map(Object::toString).toList()));
        return blockers.size() == 1 ? text : text + ", %d more are held".formatted(blockers.size() - 1);
    }

    /** Returns the first taint of a device that its request does not tolerate. */
    static Optional<Taint> untolerated(Allocations.Pick pick) {
        return Toleration.firstUntolerated(
                pick.slot().device().taints(), pick.want().spec().tolerations());
    }

    /** Joins names to a text, with at most four of them. */
    static String listed(List<String> names) {
        int more = names.size() - LISTED_MAX;
        return more > 0
                ? "%s and %d more".formatted(String.join(", ", names.subList(0, LISTED_MAX)), more)
                : String.join(" and ", names);
    }

    private Optional<Plan.Diagnosis> tainted(Pretended pretended) {
        for (Allocations.Pick pick : pretended.picks) {
            Optional<Taint> taint = untolerated(pick);
            if (taint.isPresent()) {
                String text = "%s of node %s carries the taint %s, which request %s does not tolerate"
                        .formatted(
                                pick.slot().holding().device().device(),
                                pretended.node.name(),
                                taint.get(),
                                pick.want().resultName());
                return Optional.of(new Plan.Diagnosis(
                        Reason.Tainted,
                        text,
                        Optional.of(new Plan.NearestMiss(pretended.node.name(), text, List.of()))));
            }
        }
        return Optional.empty();
    }

    // ---- counts
    // ----------------------------------------------------------------------------------------------------------------

    private String needs() {
        return String.join(
                " + ",
                question.requests().stream()
                        .flatMap(List::stream)
                        .map(wants -> amount(wants.getFirst()))
                        .toList());
    }

    static String amount(Want want) {
        String name = want.deviceClass().meta().name();
        return want.all() ? "all " + name : want.spec().count() + " " + name;
    }

    private Optional<Plan.Diagnosis> selectsNothing() {
        var funnels = new Funnels(question, List.of(), index, meter);
        for (List<Want> alternatives :
                question.requests().stream().flatMap(List::stream).toList()) {
            if (alternatives.size() == 1) {
                Want want = alternatives.getFirst();
                long[] passed = funnels.passed(want);
                int ofClass = want.deviceClass().selectors().size();
                if (passed[ofClass] == 0) {
                    return Optional.of(plain(
                            Reason.ClassSelectsNothing,
                            "class %s selects none of %d devices"
                                    .formatted(want.deviceClass().meta().name(), passed[0])));
                }
                for (int i = ofClass + 1; i <= want.filters().size(); i++) {
                    if (passed[i] == 0) {
                        return Optional.of(plain(
                                Reason.SelectorFalse,
                                "selector %d of request %s takes none of %d %s"
                                        .formatted(
                                                i - ofClass,
                                                want.resultName(),
                                                passed[i - 1],
                                                want.deviceClass().meta().name())));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Diagnoses a request with matching devices of which no usable node reaches any; the first device gives the cause.
     */
    private Optional<Plan.Diagnosis> outOfReach() {
        return question.requests().stream()
                .flatMap(List::stream)
                .filter(alternatives -> alternatives.size() == 1)
                .map(List::getFirst)
                .filter(want -> index.classes().stream().allMatch(each -> matching(each.layout, want) == 0))
                .flatMap(want -> firstMatch(want).stream())
                .findFirst();
    }

    private Optional<Plan.Diagnosis> firstMatch(Want want) {
        meter.charge(WorkMeter.LOOK_UP * inventory.devices() * want.filters().size());
        for (var pool : inventory.pools().entrySet()) {
            for (ResourceSlice slice : pool.getValue().values()) {
                for (Device device : slice.devices()) {
                    if (want.passed(slice.driver(), device) == want.filters().size()) {
                        return Optional.of(unreachable(want, pool.getKey(), device));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private Plan.Diagnosis unreachable(Want want, PoolId pool, Device device) {
        String what = "device %s/%s fits request %s, but ".formatted(pool, device.name(), want.resultName());
        if (!device.consumesCounters().isEmpty() && !question.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return plain(Reason.DoesNotFit, what + "takes shared counters, and DRAPartitionableDevices is off");
        }
        if (inventory.views().stream().anyMatch(view -> view.incompletePools().contains(pool))) {
            return plain(Reason.PoolIncomplete, what + disabled(pool).orElse("slices of its pool are missing"));
        }
        if (inventory.views().stream().anyMatch(view -> view.invalidPools().contains(pool))) {
            return plain(
                    Reason.PoolInvalid,
                    what + "its pool has two devices or counter sets of one name, or counters that are not declared");
        }
        return plain(Reason.NoUsableNode, what + "no node that is usable and allowed for the pod reaches it");
    }

    /** Explains why slices of a complete pool do not count: they need a feature gate that is off. */
    private Optional<String> disabled(PoolId pool) {
        List<ResourceSlice> slices = List.copyOf(
                inventory.pools().getOrDefault(pool, new TreeMap<>()).values());
        boolean hasCounters =
                slices.stream().anyMatch(slice -> !slice.sharedCounters().isEmpty());
        boolean hasGroups = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(device -> device.consumesCounters().stream())
                .anyMatch(each -> !each.compatibilityGroups().isEmpty());
        if (hasCounters && !question.features().has(Feature.PARTITIONABLE_DEVICES)) {
            return Optional.of("its slices with shared counters do not count, as DRAPartitionableDevices is off");
        }
        return hasGroups && !question.features().has(Feature.DEVICE_COMPATIBILITY_GROUPS)
                ? Optional.of(
                        "its slices with compatibility groups do not count, as DRADeviceCompatibilityGroups is off")
                : Optional.empty();
    }

    private Optional<Plan.Diagnosis> tooFew() {
        for (List<Want> alternatives :
                question.requests().stream().flatMap(List::stream).toList()) {
            Optional<Plan.Diagnosis> missing = tooFew(alternatives);
            if (missing.isPresent()) {
                return missing;
            }
        }
        return Optional.empty();
    }

    private Optional<Plan.Diagnosis> tooFew(List<Want> alternatives) {
        Optional<Plan.Diagnosis> first = Optional.empty();
        for (Want want : alternatives) {
            long wanted = want.all() ? 1 : want.spec().count();
            Optional<Largest> largest =
                    index.classes().stream().map(each -> Largest.of(each, want)).min(Largest.ORDER);
            long most = largest.map(Largest::matching).orElse(0L);
            if (most >= wanted) {
                return Optional.empty();
            }
            String text = "%s on one node, the largest has %d in all".formatted(amount(want), most);
            Optional<Plan.NearestMiss> nearest = largest.filter(each -> each.matching > 0)
                    .map(each -> new Plan.NearestMiss(
                            each.node, "%s has %d of %d".formatted(each.node, most, wanted), List.of()));
            first = first.or(() -> Optional.of(new Plan.Diagnosis(Reason.TooFewOnOneNode, text, nearest)));
        }
        return first;
    }

    /**
     * Number of matching devices on the nodes of a class for an option.
     *
     * @param tolerated number of matching devices without untolerated taints
     */
    private record Largest(String node, long matching, long tolerated) {
        private static final Comparator<Largest> ORDER = Comparator.comparingLong(Largest::matching)
                .thenComparingLong(Largest::tolerated)
                .reversed()
                .thenComparing(Largest::node);

        static Largest of(NodeClass nodeClass, Want want) {
            long tolerated = 0;
            for (int device = 0; device < nodeClass.layout.size; device++) {
                tolerated += nodeClass.layout.verdict(device, want.column()) == Verdict.YES ? 1 : 0;
            }
            return new Largest(nodeClass.nodes.first().name(), Diagnoses.matching(nodeClass.layout, want), tolerated);
        }
    }

    private static long matching(Layout layout, Want want) {
        long count = 0;
        for (int device = 0; device < layout.size; device++) {
            Verdict verdict = layout.verdict(device, want.column());
            count += verdict == Verdict.YES || verdict == Verdict.TAINTED ? 1 : 0;
        }
        return count;
    }
}
