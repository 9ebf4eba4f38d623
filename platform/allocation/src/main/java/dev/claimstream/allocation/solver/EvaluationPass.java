package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.SliceId;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Evaluates the expressions of one question for all published devices, in portions. It goes through slices by pool and name and skips
 * what is paid, so that the next portion depends on the state alone; the slices that it has finished are only remembered.
 */
final class EvaluationPass {
    private final Question question;
    private final Inventory inventory;
    private final Evaluations evaluations;
    private SortedSet<SliceId> pending = new TreeSet<>();
    private long seenTo = -1;
    private final SortedSet<String> fingerprints = new TreeSet<>();
    private final SortedMap<String, Long> since = new TreeMap<>();

    EvaluationPass(Question question, Inventory inventory, Evaluations evaluations) {
        this.question = question;
        this.inventory = inventory;
        this.evaluations = evaluations;
        question.wants().forEach(want -> want.filters().forEach(filter -> fingerprints.add(filter.fingerprint())));
        question.sources()
                .forEach(source -> source.derivation().ifPresent(each -> fingerprints.add(each.fingerprint())));
    }

    /** Evaluates until the allowance is spent; the last evaluation may exceed it. */
    EvaluationPortion advance(long allowance) {
        refresh();
        var portion = new Portion(allowance);
        Iterator<SliceId> slices = pending.iterator();
        while (slices.hasNext()) {
            Optional<ResourceSlice> slice = inventory.slice(slices.next());
            if (slice.isPresent() && !portion.finishes(slice.get())) {
                return portion.unfinished();
            }
            slices.remove();
        }
        return portion.finished();
    }

    private void refresh() {
        long end = inventory.sliceChangesEnd();
        Optional<SortedSet<SliceId>> changed =
                seenTo < 0 || isAnyRemoved() ? Optional.empty() : inventory.changedSlices(seenTo);
        if (changed.isPresent()) {
            pending.addAll(changed.get());
        } else {
            pending = inventory.sliceIds();
        }
        seenTo = end;
    }

    /** Whether answers that were there are not paid any more. */
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

    /** What one call evaluates; its answers are not paid before the cell has applied their rows. */
    private final class Portion {
        private final long allowance;
        private final SortedMap<String, SortedMap<ReadKey, Answer>> answers = new TreeMap<>();
        private Optional<EvaluationPortion.Obstacle> obstacle = Optional.empty();
        private long dearest;
        private long cost;

        Portion(long allowance) {
            this.allowance = allowance;
        }

        boolean finishes(ResourceSlice slice) {
            for (Device device : slice.devices()) {
                if (!finishes(slice.driver(), device)) {
                    return false;
                }
            }
            return true;
        }

        boolean finishes(String driver, Device device) {
            boolean counts = false;
            for (Want want : question.wants()) {
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
                    obstacle = Optional.of(new EvaluationPortion.Obstacle(text(want, i), filter.fingerprint(), 0));
                    return Passing.UNFINISHED;
                }
                if (answer.get() instanceof Answer.Matched(var match) && !(match instanceof Selector.Match.Yes)) {
                    return match instanceof Selector.Match.No ? Passing.NO : Passing.YES;
                }
            }
            return Passing.YES;
        }

        private String text(Want want, int filter) {
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
                        obstacle = Optional.of(new EvaluationPortion.Obstacle(
                                "derived attribute %s".formatted(source.name()), derivation.fingerprint(), 0));
                        return false;
                    }
                }
            }
            return true;
        }

        private Optional<Answer> answer(String fingerprint, ReadKey key, Supplier<CostedAnswer<Answer>> evaluation) {
            Optional<Answer> known = evaluations
                    .find(fingerprint, key)
                    .or(() -> Optional.ofNullable(
                            answers.getOrDefault(fingerprint, new TreeMap<>()).get(key)));
            if (known.isPresent() || cost >= allowance) {
                return known;
            }
            CostedAnswer<Answer> evaluated = evaluation.get();
            dearest = Math.max(dearest, evaluated.cost());
            cost += WorkMeter.EVALUATION + WorkMeter.EVALUATION_COST * evaluated.cost();
            answers.computeIfAbsent(fingerprint, _ -> new TreeMap<>()).put(key, evaluated.answer());
            return Optional.of(evaluated.answer());
        }

        EvaluationPortion finished() {
            return new EvaluationPortion(answers, cost, dearest, Optional.empty());
        }

        EvaluationPortion unfinished() {
            return new EvaluationPortion(answers, cost, dearest, obstacle.map(this::withProgress));
        }

        private EvaluationPortion.Obstacle withProgress(EvaluationPortion.Obstacle each) {
            int added = answers.getOrDefault(each.fingerprint(), Collections.emptySortedMap())
                    .size();
            return new EvaluationPortion.Obstacle(
                    each.text(), each.fingerprint(), evaluations.size(each.fingerprint()) + added);
        }
    }

    /** Whether a device passes the selectors of a request; one that fails counts, as the search has to meet it. */
    private enum Passing {
        YES,
        NO,
        UNFINISHED
    }
}
