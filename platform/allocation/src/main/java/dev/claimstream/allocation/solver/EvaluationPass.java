package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.SliceId;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Evaluates the expressions of one problem for all published devices, in portions. First it looks up which devices lack
 * a cached result; each changed device is charged once for this, whether or not its results are cached. Then it
 * evaluates by pool, slice and device, so that the next evaluation depends only on the state; the progress of the
 * look-ups is only an optimization.
 */
final class EvaluationPass {
    private final AllocationProblem problem;
    private final DeviceInventory inventory;
    private final EvaluationCache evaluationCache;
    /** Options with distinct selector lists. */
    private final List<RequestOption> options;

    private final long unitsPerDevice;
    private SortedSet<SliceId> unchecked = new TreeSet<>();
    private int checkedOfFirst;
    private final SortedMap<SliceId, SortedSet<Integer>> unevaluated = new TreeMap<>();
    private long changesOffset = -1;
    private final SortedSet<String> fingerprints = new TreeSet<>();
    private final SortedMap<String, Long> generations = new TreeMap<>();

    EvaluationPass(AllocationProblem problem, DeviceInventory inventory, EvaluationCache evaluations) {
        this.problem = problem;
        this.inventory = inventory;
        this.evaluationCache = evaluations;
        options = new DistinctFilters(problem).representatives();
        for (RequestOption option : options) {
            option.filters().forEach(filter -> fingerprints.add(filter.fingerprint()));
        }
        problem.sources()
                .forEach(source -> source.derivation().ifPresent(each -> fingerprints.add(each.fingerprint())));
        long derivations = problem.sources().stream()
                .filter(source -> source.derivation().isPresent())
                .count();
        unitsPerDevice = WorkMeter.LOOKUP
                * (derivations
                        + options.stream()
                                .mapToLong(option -> option.filters().size())
                                .sum());
    }

    /**
     * Continues until the allowance is used; the last evaluation may exceed it.
     *
     * @param changed devices changed since the last charged look-up; {@code Long.MAX_VALUE} if there was none
     */
    PassProgress advance(long allowance, long changed) {
        refresh();
        long due = unitsPerDevice == 0 ? 0 : Math.min(inventory.slices().devices(), changed);
        long checked = allowance <= 0 ? 0 : Math.min(due, Math.max(1, allowance / Math.max(1, unitsPerDevice)));
        long cost = checked * unitsPerDevice;
        check(checked == due ? Long.MAX_VALUE : checked);
        return new PassProgress(
                due - checked, checked == due ? evaluate(allowance, cost) : unfinished(cost, due - checked), cost);
    }

    /**
     * Result of one call.
     *
     * @param unchecked devices that are not looked up yet
     * @param checkCost cost of the look-ups, included in the cost of the portion
     */
    record PassProgress(long unchecked, EvaluationPortion portion, long checkCost) {}

    private EvaluationPortion unfinished(long cost, long devices) {
        return EvaluationPortion.unfinished(
                cost,
                "selectors are being compared with devices: %d of %d devices are left"
                        .formatted(devices, inventory.slices().devices()));
    }

    private void refresh() {
        long end = inventory.slices().changesEnd();
        Optional<SortedSet<SliceId>> changed = changesOffset < 0 || hasRemovedResults()
                ? Optional.empty()
                : inventory.slices().changedSince(changesOffset);
        if (changed.isEmpty()) {
            unchecked = inventory.slices().ids();
            unevaluated.clear();
            checkedOfFirst = 0;
        } else if (!changed.get().isEmpty()) {
            unchecked.addAll(changed.get());
            unevaluated.keySet().removeAll(changed.get());
            checkedOfFirst = 0;
        }
        changesOffset = end;
    }

    /** Returns whether the cache has removed results since the last call. */
    private boolean hasRemovedResults() {
        boolean isRemoved = false;
        for (String fingerprint : fingerprints) {
            long now = evaluationCache.generation(fingerprint);
            long before = generations.getOrDefault(fingerprint, 0L);
            isRemoved |= before != 0 && before != now;
            generations.put(fingerprint, now);
        }
        return isRemoved;
    }

    /** Looks up devices and collects those that lack a cached result. */
    private void check(long devicesMax) {
        var known = new PortionBuilder(0, 0);
        long remaining = devicesMax;
        while (remaining > 0 && !unchecked.isEmpty()) {
            SliceId id = unchecked.first();
            Optional<ResourceSlice> slice = inventory.slices().slice(id);
            List<Device> devices = slice.map(ResourceSlice::devices).orElse(List.of());
            String driver = slice.map(ResourceSlice::driver).orElse("");
            while (remaining > 0 && checkedOfFirst < devices.size()) {
                if (!known.evaluateDevice(driver, devices.get(checkedOfFirst))) {
                    unevaluated.computeIfAbsent(id, _ -> new TreeSet<>()).add(checkedOfFirst);
                }
                checkedOfFirst++;
                remaining--;
            }
            if (checkedOfFirst >= devices.size()) {
                unchecked.removeFirst();
                checkedOfFirst = 0;
            }
        }
    }

    private EvaluationPortion evaluate(long allowance, long spent) {
        var portion = new PortionBuilder(allowance, spent);
        for (Iterator<Map.Entry<SliceId, SortedSet<Integer>>> slices =
                        unevaluated.entrySet().iterator();
                slices.hasNext(); ) {
            Map.Entry<SliceId, SortedSet<Integer>> devices = slices.next();
            ResourceSlice slice = inventory.slices().slice(devices.getKey()).orElseThrow();
            for (Iterator<Integer> each = devices.getValue().iterator(); each.hasNext(); ) {
                if (!portion.evaluateDevice(slice.driver(), slice.devices().get(each.next()))) {
                    return portion.unfinished();
                }
                each.remove();
            }
            slices.remove();
        }
        return portion.finished();
    }

    /** Results of one call; they enter the cache when the cell applies their rows. */
    private final class PortionBuilder {
        private final long allowance;
        private final SortedMap<String, SortedMap<ReadKey, ExpressionResult>> results = new TreeMap<>();
        private Optional<PendingExpression> pendingExpression = Optional.empty();
        private long maxCost;
        private long cost;

        PortionBuilder(long allowance, long spent) {
            this.allowance = allowance;
            this.cost = spent;
        }

        boolean evaluateDevice(String driver, Device device) {
            boolean counts = false;
            for (RequestOption option : options) {
                switch (applyFilters(option, driver, device)) {
                    case YES -> counts = true;
                    case NO -> {}
                    case UNFINISHED -> {
                        return false;
                    }
                }
            }
            return !counts || applyDerivations(driver, device);
        }

        private FilterResult applyFilters(RequestOption option, String driver, Device device) {
            List<Selector> filters = option.filters();
            for (int i = 0; i < filters.size(); i++) {
                Selector filter = filters.get(i);
                Optional<ExpressionResult> result = result(filter.fingerprint(), filter.key(driver, device), () -> {
                    CostedAnswer<Selector.Match> evaluated = filter.evaluate(driver, device);
                    return new CostedAnswer<>(new ExpressionResult.MatchResult(evaluated.answer()), evaluated.cost());
                });
                if (result.isEmpty()) {
                    int filterIndex = i;
                    pendingExpression =
                            Optional.of(new PendingExpression(() -> text(option, filterIndex), filter.fingerprint()));
                    return FilterResult.UNFINISHED;
                }
                if (result.get() instanceof ExpressionResult.MatchResult(var match)
                        && !(match instanceof Selector.Match.SelectorMatch)) {
                    return match instanceof Selector.Match.SelectorMismatch ? FilterResult.NO : FilterResult.YES;
                }
            }
            return FilterResult.YES;
        }

        private static String text(RequestOption option, int filter) {
            int ofClass = option.deviceClass().selectors().size();
            return filter < ofClass
                    ? "selector #%d of class %s"
                            .formatted(filter, option.deviceClass().meta().name())
                    : "selector #%d of request %s".formatted(filter - ofClass, option.resultName());
        }

        private boolean applyDerivations(String driver, Device device) {
            for (AttributeSource source : problem.sources()) {
                if (source.derivation().isPresent()) {
                    Derivation derivation = source.derivation().get();
                    Optional<ExpressionResult> result =
                            result(derivation.fingerprint(), derivation.key(driver, device), () -> {
                                CostedAnswer<Derivation.DerivationOutcome> evaluated =
                                        derivation.evaluate(driver, device);
                                return new CostedAnswer<>(
                                        new ExpressionResult.DerivationResult(evaluated.answer()), evaluated.cost());
                            });
                    if (result.isEmpty()) {
                        pendingExpression = Optional.of(new PendingExpression(
                                () -> "derived attribute %s".formatted(source.name()), derivation.fingerprint()));
                        return false;
                    }
                }
            }
            return true;
        }

        private Optional<ExpressionResult> result(
                String fingerprint, ReadKey key, Supplier<CostedAnswer<ExpressionResult>> evaluation) {
            Optional<ExpressionResult> known =
                    evaluationCache.find(fingerprint, key).or(() -> added(fingerprint, key));
            if (known.isPresent() || cost >= allowance) {
                return known;
            }
            CostedAnswer<ExpressionResult> evaluated = evaluation.get();
            maxCost = Math.max(maxCost, evaluated.cost());
            cost += WorkMeter.EVALUATION + WorkMeter.EVALUATION_COST * evaluated.cost();
            results.computeIfAbsent(fingerprint, _ -> new TreeMap<>()).put(key, evaluated.answer());
            return Optional.of(evaluated.answer());
        }

        private Optional<ExpressionResult> added(String fingerprint, ReadKey key) {
            return Optional.ofNullable(results.get(fingerprint)).flatMap(each -> Optional.ofNullable(each.get(key)));
        }

        EvaluationPortion finished() {
            return new EvaluationPortion(results, fingerprints, cost, Optional.empty(), Optional.empty());
        }

        EvaluationPortion unfinished() {
            return new EvaluationPortion(
                    results, fingerprints, cost, Optional.empty(), pendingExpression.map(this::progressText));
        }

        private String progressText(PendingExpression each) {
            long added = Optional.ofNullable(results.get(each.fingerprint))
                    .map(Map::size)
                    .orElse(0);
            return "%s is being evaluated: %d of %d devices done, up to %d cost units per device"
                    .formatted(
                            each.text.get(),
                            evaluationCache.size(each.fingerprint) + added,
                            inventory.slices().devices(),
                            maxCost);
        }
    }

    /** The expression that the next portion starts with. */
    private record PendingExpression(Supplier<String> text, String fingerprint) {}

    /**
     * Result of the selectors of an option for a device. {@code YES} includes a failed selector, because the search has
     * to meet the failure.
     */
    private enum FilterResult {
        YES,
        NO,
        UNFINISHED
    }
}
