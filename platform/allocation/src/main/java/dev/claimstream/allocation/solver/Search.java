package dev.claimstream.allocation.solver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Upstream's search ({@code allocateOne}), with three additions that change neither its first solution nor an error that it meets
 * before that: a request whose remaining candidates are too few is given up at once; a state of the search that failed is
 * remembered by what it looks like, so that devices which can stand for each other are tried once; and every step is counted.
 *
 * <p>A state looks like: the place in the claims, the values that constraints have settled on, how many devices of each sort are
 * taken (and by this claim, where admin access tells that apart) that later requests could want, what was taken of shared counters and
 * of capacities, the first device taken of those that are all wanted under a constraint, and how many devices the claim has. Failing without an error depends on nothing else.
 */
final class Search {
    /** Small searches end before remembering pays. */
    private static final int REMEMBER_AFTER = 64;

    /** So much is remembered and no more: some 100 MB. Beyond that the search goes on and tries things again. */
    private static final int REMEMBERED_MAX = 250_000;

    private enum Result {
        FOUND,
        NO,
        TOO_MANY,
        FAILED,
        SPENT
    }

    /** How to search: in which order, whether selectors that fail end it, what is pretended, and for how long. */
    record Manner(int[][] orders, boolean errorsCount, Set<Relaxation> relaxed, long stepsMax) {}

    private final Question question;
    private final Layout layout;
    private final NodeState state;
    private final Manner manner;
    private final Bonds bonds;
    private final Stock stock;
    private final int requests;
    private final boolean wantsAdmin;
    private final List<Want> boundForAll;
    private final List<int[]> allDevices = new ArrayList<>();
    private final int[] taken;
    private final boolean[][] takenBy;
    private final int[] results;
    private final Ints pickedColumns = new Ints();
    private final Ints pickedDevices = new Ints();
    private final Map<IntKey, Result> failed = new LinkedHashMap<>();
    private final Ints key = new Ints();
    private Optional<Sorts> sorts = Optional.empty();
    private Optional<Outcome.Failure> failure = Optional.empty();
    private long steps;
    private int entries;

    Search(Question question, Layout layout, NodeState state, Manner manner) {
        this.question = question;
        this.layout = layout;
        this.state = state;
        this.manner = manner;
        this.bonds = new Bonds(question, layout, manner.relaxed);
        this.stock = manner.relaxed.contains(Relaxation.HELD)
                ? new Stock(layout, layout.partitions.all(), layout.shares.all(), manner.relaxed)
                : state.stock(layout, manner.relaxed);
        this.requests = question.requests().stream().mapToInt(List::size).sum();
        this.wantsAdmin = question.wantsAdmin();
        this.boundForAll = question.boundForAll();
        this.taken = new int[layout.size];
        this.takenBy = new boolean[question.requests().size()][layout.size];
        this.results = new int[question.requests().size()];
    }

    /** Runs to the first solution, a failure, or the end. */
    Outcome run() {
        if (question.wantsAll() && collectFails()) {
            return fails();
        }
        return switch (entry(0, 0, 0)) {
            case FOUND -> fits();
            case NO, TOO_MANY -> misses();
            case FAILED -> fails();
            case SPENT -> new Outcome.Spent(steps);
        };
    }

    private Outcome misses() {
        return layout.invalid ? new Outcome.Fails(new Outcome.Failure.PoolInvalid(), steps) : new Outcome.Misses(steps);
    }

    private Outcome fails() {
        return new Outcome.Fails(failure.orElseThrow(), steps);
    }

    private Outcome fits() {
        int[] columns = pickedColumns.toArray();
        int[] devices = pickedDevices.toArray();
        int preference = 0;
        long grade = 0;
        long cost = 0;
        long room = 0;
        int used = 0;
        for (int i = 0; i < devices.length; i++) {
            Want want = question.wants().get(columns[i]);
            preference += want.preference();
            grade += layout.grade(devices[i], want);
            cost += state.cost(devices[i]);
            room += state.room(devices[i]);
            used += state.isUntouched(devices[i]) ? 1 : 0;
        }
        int left = state.untouchedCount() - used;
        return new Outcome.Fits(
                columns,
                devices,
                new Score(preference, grade, cost, left, left + state.untouchedOthers(), room),
                steps);
    }

    // ---- wants for all devices: fixed before the search
    // ------------------------------------------------------------------------

    private boolean collectFails() {
        for (Want want : question.wants()) {
            allDevices.add(new int[0]);
            if (want.all() && collectFails(want)) {
                return true;
            }
        }
        for (List<List<Want>> ofClaim : question.requests()) {
            long before = 0;
            for (List<Want> wants : ofClaim) {
                long fewest = wants.stream().mapToLong(this::wanted).min().orElse(0);
                if (fewest > Question.DEVICES_MAX - before) {
                    return fail(new Outcome.Failure.TooMany(wants.getFirst().request(), fewest, before));
                }
                before += fewest;
            }
        }
        return false;
    }

    private boolean collectFails(Want want) {
        if (layout.incomplete) {
            return fail(new Outcome.Failure.PoolIncomplete());
        }
        if (layout.invalid) {
            return fail(new Outcome.Failure.PoolInvalid());
        }
        var devices = new Ints();
        for (int device = 0; device < layout.size; device++) {
            switch (layout.verdict(device, want.column())) {
                case NO -> {}
                case YES, TAINTED, BARRED -> devices.add(device);
                case FAILED -> {
                    return fail(new Outcome.Failure.OfSelector(want.column(), device));
                }
            }
        }
        allDevices.set(want.column(), devices.toArray());
        return false;
    }

    private boolean fail(Outcome.Failure what) {
        failure = Optional.of(what);
        return true;
    }

    private long wanted(Want want) {
        return want.all() ? allDevices.get(want.column()).length : want.spec().count();
    }

    // ---- the search
    // ------------------------------------------------------------------------------------------------------------

    /** @param number the place of the request among all requests of all claims */
    private Result entry(int claim, int request, int number) {
        if (claim == question.requests().size()) {
            return Result.FOUND;
        }
        if (request == question.requests().get(claim).size()) {
            Result rest = entry(claim + 1, 0, number);
            return rest == Result.TOO_MANY ? Result.NO : rest;
        }
        Optional<IntKey> looks = looks(0, number, claim, 0, 0, number);
        Result known = looks.map(failed::get).orElse(Result.FOUND);
        return known != Result.FOUND ? known : remembered(looks, alternatives(claim, request, number));
    }

    private Result alternatives(int claim, int request, int number) {
        int entry = ++entries;
        boolean allExceeded = true;
        for (Want want : question.requests().get(claim).get(request)) {
            Result result = pick(new Place(claim, request, number, entry, want), 0, 0);
            switch (result) {
                case FOUND, FAILED, SPENT -> {
                    return result;
                }
                case NO -> allExceeded = false;
                case TOO_MANY -> {}
            }
        }
        return allExceeded ? Result.TOO_MANY : Result.NO;
    }

    /** Where the search stands: an alternative of a request, entered for the how-manieth time. */
    private record Place(int claim, int request, int number, int entry, Want want) {}

    private Result pick(Place place, int done, int start) {
        if (++steps > manner.stepsMax) {
            return Result.SPENT;
        }
        Want want = place.want;
        if (want.all() && allDevices.get(want.column()).length == 0) {
            return Result.NO;
        }
        long open = wanted(want) - done;
        if (open <= 0) {
            return entry(place.claim, place.request + 1, place.number + 1);
        }
        if (open > Question.DEVICES_MAX - results[place.claim]) {
            return Result.TOO_MANY;
        }
        return want.all() ? takeNextOfAll(place, done) : pickOne(place, done, start, open);
    }

    private Result takeNextOfAll(Place place, int done) {
        Want want = place.want;
        int device = allDevices.get(want.column())[done];
        if (!isOpen(place, device) || !stock.hasCounters(device) || verdict(want, device) != Verdict.YES) {
            return Result.NO;
        }
        Bonds.Answer allowed = bonds.allow(want.column(), device);
        if (allowed != Bonds.Answer.YES) {
            fail(
                    allowed == Bonds.Answer.FAILED
                            ? new Outcome.Failure.OfAttribute(want.column(), device)
                            : new Outcome.Failure.AllAgainstConstraint(want.column(), device));
            return Result.FAILED;
        }
        if (!stock.hasRoom(want.column(), device)) {
            return Result.NO;
        }
        take(place, device);
        Result result = pick(place, done + 1, 0);
        if (result != Result.FOUND) {
            giveBack(place, device);
        }
        return result;
    }

    private Result pickOne(Place place, int done, int start, long open) {
        if (!enough(place, start, open)) {
            return Result.NO;
        }
        Optional<IntKey> looks = looks(place.entry, place.want.column(), place.claim, done, start, place.number + 1);
        Result known = looks.map(failed::get).orElse(Result.FOUND);
        return known != Result.FOUND ? known : remembered(looks, tryEach(place, done, start));
    }

    private Result tryEach(Place place, int done, int start) {
        int[] order = manner.orders[place.want.column()];
        for (int i = start; i < order.length; i++) {
            int device = order[i];
            if (!isOpen(place, device)) {
                continue;
            }
            switch (verdict(place.want, device)) {
                case NO, TAINTED, BARRED -> {}
                case FAILED -> {
                    if (manner.errorsCount) {
                        fail(new Outcome.Failure.OfSelector(place.want.column(), device));
                        return Result.FAILED;
                    }
                }
                case YES -> {
                    Result result = tryOne(place, done, device, i + 1);
                    if (result != Result.NO) {
                        return result;
                    }
                }
            }
        }
        return Result.NO;
    }

    private Result tryOne(Place place, int done, int device, int next) {
        switch (allows(place.want, device)) {
            case YES -> {}
            case NO -> {
                return Result.NO;
            }
            case FAILED -> {
                return failedAttribute(place.want, device);
            }
        }
        take(place, device);
        Result result = pick(place, done + 1, next);
        if (result != Result.FOUND) {
            giveBack(place, device);
        }
        return result;
    }

    /** Whether enough candidates are left, or a selector that fails would be met while looking. */
    private boolean enough(Place place, int start, long open) {
        int[] order = manner.orders[place.want.column()];
        long found = 0;
        for (int i = start; i < order.length && found < open; i++) {
            if (isOpen(place, order[i])) {
                Verdict verdict = verdict(place.want, order[i]);
                if (verdict == Verdict.FAILED && manner.errorsCount) {
                    return true;
                }
                Bonds.Answer allowed = verdict == Verdict.YES ? allows(place.want, order[i]) : Bonds.Answer.NO;
                if (allowed == Bonds.Answer.FAILED && manner.errorsCount) {
                    return true;
                }
                found += allowed == Bonds.Answer.YES ? 1 : 0;
            }
        }
        return found >= open;
    }

    private Verdict verdict(Want want, int device) {
        Verdict verdict = layout.verdict(device, want.column());
        return verdict == Verdict.TAINTED && manner.relaxed.contains(Relaxation.TAINTS) ? Verdict.YES : verdict;
    }

    /** Whether what is left, and what was taken before, allow for the device. */
    private Bonds.Answer allows(Want want, int device) {
        return stock.hasRoom(want.column(), device) && stock.hasCounters(device)
                ? bonds.allow(want.column(), device)
                : Bonds.Answer.NO;
    }

    private Result failedAttribute(Want want, int device) {
        if (!manner.errorsCount) {
            return Result.NO;
        }
        fail(new Outcome.Failure.OfAttribute(want.column(), device));
        return Result.FAILED;
    }

    /** Admin access looks past other holders, but no claim gets a whole device twice. */
    private boolean isOpen(Place place, int device) {
        return place.want.admin()
                ? !takenBy[place.claim][device]
                : taken[device] == 0 && (state.isOpen(device) || manner.relaxed.contains(Relaxation.HELD));
    }

    private void take(Place place, int device) {
        bonds.add(place.want.column(), device);
        stock.take(place.want.column(), device);
        if (!layout.shares.isShareable(device)) {
            taken[device]++;
            takenBy[place.claim][device] = true;
        }
        results[place.claim]++;
        pickedColumns.add(place.want.column());
        pickedDevices.add(device);
    }

    private void giveBack(Place place, int device) {
        bonds.remove(place.want.column());
        stock.giveBack(place.want.column(), device);
        if (!layout.shares.isShareable(device)) {
            taken[device]--;
            takenBy[place.claim][device] = false;
        }
        results[place.claim]--;
        pickedColumns.removeLast();
        pickedDevices.removeLast();
    }

    // ---- what failed before
    // ----------------------------------------------------------------------------------------------------

    private Optional<IntKey> looks(int entry, int place, int claim, int done, int start, int fromRequest) {
        if (steps < REMEMBER_AFTER) {
            return Optional.empty();
        }
        if (sorts.isEmpty()) {
            sorts = Optional.of(new Sorts(question, layout, state, requests));
        }
        key.clear();
        key.add(entry);
        key.add(place);
        key.add(done);
        key.add(start);
        key.add(results[claim]);
        bonds.addState(claim, key);
        stock.addState(sorts.get(), key);
        sorts.get().addTaken(device -> taken[device] > 0, fromRequest, key);
        if (wantsAdmin) {
            sorts.get().addTaken(device -> takenBy[claim][device], fromRequest, key);
        }
        boundForAll.forEach(want -> key.add(firstTaken(allDevices.get(want.column()))));
        return Optional.of(new IntKey(key.toArray()));
    }

    private int firstTaken(int[] devices) {
        int first = 0;
        while (first < devices.length && taken[devices[first]] == 0) {
            first++;
        }
        return first;
    }

    private Result remembered(Optional<IntKey> looks, Result result) {
        boolean isLasting = result == Result.NO || result == Result.TOO_MANY;
        if (isLasting && failed.size() < REMEMBERED_MAX) {
            looks.ifPresent(each -> failed.put(each, result));
        }
        return result;
    }
}
