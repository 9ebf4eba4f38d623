package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Inventory;
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
    private final Question question;
    private final Inventory inventory;
    private final Evaluations evaluations;
    /** Options with distinct selector lists. */
    private final List<Want> wants;

    private final long unitsPerDevice;
    private SortedSet<SliceId> unchecked = new TreeSet<>();
    private int checkedOfFirst;
    private final SortedMap<SliceId, SortedSet<Integer>> lacking = new TreeMap<>();
    private long seenTo = -1;
    private final SortedSet<String> fingerprints = new TreeSet<>();
    private final SortedMap<String, Long> since = new TreeMap<>();

    EvaluationPass(Question question, Inventory inventory, Evaluations evaluations) {
        this.question = question;
        this.inventory = inventory;
        this.evaluations = evaluations;
        wants = new DistinctFilters(question).wants();
        for (Want want : wants) {
            want.filters().forEach(filter -> fingerprints.add(filter.fingerprint()));
        }
        question.sources()
                .forEach(source -> source.derivation().ifPresent(each -> fingerprints.add(each.fingerprint())));
        long derivations = question.sources().stream()
                .filter(source -> source.derivation().isPresent())
                .count();
        unitsPerDevice = WorkMeter.LOOK_UP
                * (derivations
                        + wants.stream()
                                .mapToLong(want -> want.filters().size())
                                .sum());
    }

    /**
     * Continues until the allowance is used; the last evaluation may exceed it.
     *
     * @param changed devices changed since the last charged look-up; {@code Long.MAX_VALUE} if there was none
     */
    Advance advance(long allowance, long changed) {
        refresh();
        long due = unitsPerDevice == 0 ? 0 : Math.min(inventory.devices(), changed);
        long checked = allowance <= 0 ? 0 : Math.min(due, Math.max(1, allowance / Math.max(1, unitsPerDevice)));
        long cost = checked * unitsPerDevice;
        check(checked == due ? Long.MAX_VALUE : checked);
        return new Advance(
                due - checked, checked == due ? evaluate(allowance, cost) : unfinished(cost, due - checked), cost);
    }

    /**
     * Result of one call.
     *
     * @param unchecked devices that are not looked up yet
     * @param checks cost of the look-ups, included in the cost of the portion
     */
    record Advance(long unchecked, EvaluationPortion portion, long checks) {}

    private EvaluationPortion unfinished(long cost, long devices) {
        return EvaluationPortion.unfinished(
                cost,
                "selectors are being compared with devices: %d of %d devices are left"
                        .formatted(devices, inventory.devices()));
    }

    private void refresh() {
        long end = inventory.sliceChangesEnd();
        Optional<SortedSet<SliceId>> changed =
                seenTo < 0 || isAnyRemoved() ? Optional.empty() : inventory.changedSlices(seenTo);
        if (changed.isEmpty()) {
            unchecked = inventory.sliceIds();
            lacking.clear();
            checkedOfFirst = 0;
        } else if (!changed.get().isEmpty()) {
            unchecked.addAll(changed.get());
            lacking.keySet().removeAll(changed.get());
            checkedOfFirst = 0;
        }
        seenTo = end;
    }

    /** Returns whether the cache has removed results since the last call. */
    private boolean isAnyRemoved() {
        boolean isRemoved = false;
        for (String fingerprint : fingerprints) {
            long now = evaluations.since(fingerprint);
            long before = since.getOrDefault(fingerprint, 0L);
            isRemoved |= before != 0 && before != now;
            since.put(fingerprint, now);
        }
        return isRemoved;
    }

    /** Looks up devices and collects those that lack a cached result. */
    private void check(long devicesMax) {
        var known = new Portion(0, 0);
        long left = devicesMax;
        while (left > 0 && !unchecked.isEmpty()) {
            SliceId id = unchecked.first();
            Optional<ResourceSlice> slice = inventory.slice(id);
            List<Device> devices = slice.map(ResourceSlice::devices).orElse(List.of());
            String driver = slice.map(ResourceSlice::driver).orElse("");
            while (left > 0 && checkedOfFirst < devices.size()) {
                if (!known.finishes(driver, devices.get(checkedOfFirst))) {
                    lacking.computeIfAbsent(id, _ -> new TreeSet<>()).add(checkedOfFirst);
                }
                checkedOfFirst++;
                left--;
            }
            if (checkedOfFirst >= devices.size()) {
                unchecked.removeFirst();
                checkedOfFirst = 0;
            }
        }
    }

    private EvaluationPortion evaluate(long allowance, long spent) {
        var portion = new Portion(allowance, spent);
        for (Iterator<Map.Entry<SliceId, SortedSet<Integer>>> slices =
                        lacking.entrySet().iterator();
                slices.hasNext(); ) {
            Map.Entry<SliceId, SortedSet<Integer>> devices = slices.next();
            ResourceSlice slice = inventory.slice(devices.getKey()).orElseThrow();
            for (Iterator<Integer> each = devices.getValue().iterator(); each.hasNext(); ) {
                if (!portion.finishes(slice.driver(), slice.devices().get(each.next()))) {
                    return portion.unfinished();
                }
                each.remove();
            }
            slices.remove();
        }
        return portion.finished();
    }

    /** Results of one call; they enter the cache when the cell applies their rows. */
    private final class Portion {
        private final long allowance;
        private final SortedMap<String, SortedMap<ReadKey, Answer>> answers = new TreeMap<>();
        private Optional<Obstacle> obstacle = Optional.empty();
        private long dearest;
        private long cost;

        Portion(long allowance, long spent) {
            this.allowance = allowance;
            this.cost = spent;
        }

        boolean finishes(String driver, Device device) {
            boolean counts = false;
            for (Want want : wants) {
                switch (passes(want, driver, device)) {
                    case YES -> counts = true;
                    case NO -> {}
                    case UNFINISHED -> {
                        return false;
                    }
                }
            }
            return !counts || derives(driver, device);
        }

        private Passing passes(Want want, String driver, Device device) {
            List<Selector> filters = want.filters();
            for (int i = 0; i < filters.size(); i++) {
                Selector filter = filters.get(i);
                Optional<Answer> answer = answer(filter.fingerprint(), filter.key(driver, device), () -> {
                    CostedAnswer<Selector.Match> evaluated = filter.evaluate(driver, device);
                    return new CostedAnswer<>(new Answer.Matched(evaluated.answer()), evaluated.cost());
                });
                if (answer.isEmpty()) {
                    int place = i;
                    obstacle = Optional.of(new Obstacle(() -> text(want, place), filter.fingerprint()));
                    return Passing.UNFINISHED;
                }
                if (answer.get() instanceof Answer.Matched(var match) && !(match instanceof Selector.Match.Yes)) {
                    return match instanceof Selector.Match.No ? Passing.NO : Passing.YES;
                }
            }
            return Passing.YES;
        }

        private static String text(Want want, int filter) {
            int ofClass = want.deviceClass().selectors().size();
            return filter < ofClass
                    ? "selector #%d of class %s"
                            .formatted(filter, want.deviceClass().meta().name())
                    : "selector #%d of request %s".formatted(filter - ofClass, want.resultName());
        }

        private boolean derives(String driver, Device device) {
            for (Source source : question.sources()) {
                if (source.derivation().isPresent()) {
                    Derivation derivation = source.derivation().get();
                    Optional<Answer> answer = answer(derivation.fingerprint(), derivation.key(driver, device), () -> {
                        CostedAnswer<Derivation.Value> evaluated = derivation.evaluate(driver, device);
                        return new CostedAnswer<>(new Answer.Derived(evaluated.answer()), evaluated.cost());
                    });
                    if (answer.isEmpty()) {
                        obstacle = Optional.of(new Obstacle(
                                () -> "derived attribute %s".formatted(source.name()), derivation.fingerprint()));
                        return false;
                    }
                }
            }
            return true;
        }

        private Optional<Answer> answer(String fingerprint, ReadKey key, Supplier<CostedAnswer<Answer>> evaluation) {
            Optional<Answer> known = evaluations.find(fingerprint, key).or(() -> added(fingerprint, key));
            if (known.isPresent() || cost >= allowance) {
                return known;
            }
            CostedAnswer<Answer> evaluated = evaluation.get();
            dearest = Math.max(dearest, evaluated.cost());
            cost += WorkMeter.EVALUATION + WorkMeter.EVALUATION_COST * evaluated.cost();
            answers.computeIfAbsent(fingerprint, _ -> new TreeMap<>()).put(key, evaluated.answer());
            return Optional.of(evaluated.answer());
        }

        private Optional<Answer> added(String fingerprint, ReadKey key) {
            return Optional.ofNullable(answers.get(fingerprint)).flatMap(each -> Optional.ofNullable(each.get(key)));
        }

        EvaluationPortion finished() {
            return new EvaluationPortion(answers, fingerprints, cost, Optional.empty(), Optional.empty());
        }

        EvaluationPortion unfinished() {
            return new EvaluationPortion(answers, fingerprints, cost, Optional.empty(), obstacle.map(this::inWords));
        }

        private String inWords(Obstacle each) {
            long added = Optional.ofNullable(answers.get(each.fingerprint))
                    .map(Map::size)
                    .orElse(0);
            return "%s is being evaluated: %d of %d devices done, up to %d cost units per device"
                    .formatted(
                            each.text.get(), evaluations.size(each.fingerprint) + added, inventory.devices(), dearest);
        }
    }

    /** The expression that the next portion starts with. */
    private record Obstacle(Supplier<String> text, String fingerprint) {}

    /**
     * Result of the selectors of an option for a device. {@code YES} includes a failed selector, because the search has
     * to meet the failure.
     */
    private enum Passing {
        YES,
        NO,
        UNFINISHED
    }
}
