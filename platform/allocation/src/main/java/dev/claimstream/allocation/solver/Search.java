package dev.claimstream.allocation.solver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Backtracking search of kube-scheduler's structured allocator ({@code allocateOne}), with three additions. They change
 * neither the first solution nor an error that the search meets before it.
 *
 * <ul>
 *   <li>Pruning: a request with too few remaining candidates fails at once.
 *   <li>Memoization: a failed state is stored under a key, so that the search tries interchangeable devices only once.
 *   <li>Step counting: each step counts against the search budget.
 * </ul>
 *
 * <p>The key of a state contains everything that determines whether the state fails without an error: the position in
 * the requests; the values of the constraints; the number of allocated devices per equivalence class that later
 * requests can use (with admin access also the number of those allocated by this claim); the consumed counters and
 * capacities; the first allocated device of each constrained request for all devices; and the number of devices of the
 * claim.
 *
 * <p>The stack is explicit, so that the search can stop after any step and continue later with the same outcome and
 * steps.
 */
final class Search {
    /** Small searches end before memoization pays off. */
    private static final int REMEMBER_AFTER = 64;

    /** Limit on memoized states, about 100 MB. Beyond it the search repeats work. */
    private static final int REMEMBERED_MAX = 250_000;

    /** Memory of a memoized state without its key, in integers of four bytes. */
    private static final int REMEMBERED_BESIDE = 24;

    private enum Result {
        FOUND,
        NO,
        TOO_MANY,
        FAILED,
        SPENT
    }

    /**
     * Options of a search.
     *
     * @param orders per option, the order of devices
     * @param errorsCount whether a failed selector or derivation ends the search
     * @param relaxed limits to ignore
     * @param stepsMax search budget
     */
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
    private long remembered;
    private Optional<Sorts> sorts = Optional.empty();
    private Optional<Outcome.Failure> failure = Optional.empty();
    private final Deque<Frame> frames = new ArrayDeque<>();
    private Move next = new Move.Enter(0, 0, 0);
    private boolean isBegun;
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

    /**
     * Continues until a solution, a failure, or the end of the search.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<Outcome> advance(long stepsNow) {
        if (!isBegun && question.wantsAll() && collectFails()) {
            return Optional.of(fails());
        }
        isBegun = true;
        while (true) {
            switch (next) {
                case Move.Enter(int claim, int request, int number) -> next = enter(claim, request, number);
                case Move.Pick(Place place, int done, int start) -> {
                    if (steps >= stepsNow) {
                        return Optional.empty();
                    }
                    next = pick(place, done, start);
                }
                case Move.Return(Result result) -> {
                    if (frames.isEmpty()
                            || result == Result.FOUND
                            || result == Result.FAILED
                            || result == Result.SPENT) {
                        return Optional.of(outcome(result));
                    }
                    next = resume(frames.pop(), result);
                }
            }
        }
    }

    private Outcome outcome(Result result) {
        return switch (result) {
            case FOUND -> fits();
            case NO, TOO_MANY -> misses();
            case FAILED -> fails();
            case SPENT -> new Outcome.Spent(steps);
        };
    }

    /** Memory of the memoized states, in integers of four bytes. */
    long remembered() {
        return remembered;
    }

    long steps() {
        return steps;
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

    // ---- options for all devices: fixed before the search
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

    /** Next transition: start a part of the search, or return the result of a finished part. */
    private sealed interface Move {
        /** @param number index of the request among the requests of all claims */
        record Enter(int claim, int request, int number) implements Move {}

        /**
         * Selects a device for an option, from index {@code start} of the order; {@code done} devices are allocated
         * already.
         */
        record Pick(Place place, int done, int start) implements Move {}

        record Return(Result result) implements Move {}
    }

    private static final Move NO = new Move.Return(Result.NO);
    private static final Move TOO_MANY = new Move.Return(Result.TOO_MANY);
    private static final Move FAILED = new Move.Return(Result.FAILED);

    /**
     * A part of the search that waits for the result of another part. It resumes unless that result is a solution or an
     * error.
     */
    private sealed interface Frame {
        /** The requests of the next claim are in progress. */
        record OfClaim() implements Frame {}

        /** An alternative of a request is in progress. */
        final class OfRequest implements Frame {
            private final int claim;
            private final int request;
            private final int number;
            private final int entry;
            private final Optional<IntKey> looks;
            private int alternative;
            private boolean allExceeded = true;

            OfRequest(int claim, int request, int number, int entry, Optional<IntKey> looks) {
                this.claim = claim;
                this.request = request;
                this.number = number;
                this.entry = entry;
                this.looks = looks;
            }
        }

        /** A device of a request for all devices is allocated. */
        record OfAll(Place place, int device) implements Frame {}

        /** A device is allocated; {@code next} is the order index after it. */
        record OfOne(Place place, int done, int device, int next, Optional<IntKey> looks) implements Frame {}
    }

    private Move resume(Frame frame, Result result) {
        return switch (frame) {
            case Frame.OfClaim ofClaim -> NO;
            case Frame.OfRequest ofRequest -> {
                ofRequest.allExceeded &= result == Result.TOO_MANY;
                ofRequest.alternative++;
                yield alternative(ofRequest);
            }
            case Frame.OfAll(Place place, int device) -> {
                giveBack(place, device);
                yield new Move.Return(result);
            }
            case Frame.OfOne(Place place, int done, int device, int from, Optional<IntKey> looks) -> {
                giveBack(place, device);
                yield result == Result.NO ? tryEach(place, done, from, looks) : remembered(looks, result);
            }
        };
    }

    private Move enter(int claim, int request, int number) {
        if (claim == question.requests().size()) {
            return new Move.Return(Result.FOUND);
        }
        if (request == question.requests().get(claim).size()) {
            frames.push(new Frame.OfClaim());
            return new Move.Enter(claim + 1, 0, number);
        }
        Optional<IntKey> looks = looks(0, number, claim, 0, 0, number);
        Optional<Result> known = looks.flatMap(each -> Optional.ofNullable(failed.get(each)));
        return known.isPresent()
                ? new Move.Return(known.get())
                : alternative(new Frame.OfRequest(claim, request, number, ++entries, looks));
    }

    private Move alternative(Frame.OfRequest at) {
        List<Want> alternatives = question.requests().get(at.claim).get(at.request);
        if (at.alternative == alternatives.size()) {
            return remembered(at.looks, at.allExceeded ? Result.TOO_MANY : Result.NO);
        }
        frames.push(at);
        var place = new Place(at.claim, at.request, at.number, at.entry, alternatives.get(at.alternative));
        return new Move.Pick(place, 0, 0);
    }

    /**
     * Position of the search.
     *
     * @param number index of the request among the requests of all claims
     * @param entry number of the visit of the request; memoized states of different visits differ
     * @param want the alternative in progress
     */
    private record Place(int claim, int request, int number, int entry, Want want) {}

    private Move pick(Place place, int done, int start) {
        if (++steps > manner.stepsMax) {
            return new Move.Return(Result.SPENT);
        }
        Want want = place.want;
        if (want.all() && allDevices.get(want.column()).length == 0) {
            return NO;
        }
        long open = wanted(want) - done;
        if (open <= 0) {
            return new Move.Enter(place.claim, place.request + 1, place.number + 1);
        }
        if (open > Question.DEVICES_MAX - results[place.claim]) {
            return TOO_MANY;
        }
        return want.all() ? takeNextOfAll(place, done) : pickOne(place, done, start, open);
    }

    private Move takeNextOfAll(Place place, int done) {
        Want want = place.want;
        int device = allDevices.get(want.column())[done];
        if (!isOpen(place, device) || !stock.hasCounters(device) || verdict(want, device) != Verdict.YES) {
            return NO;
        }
        Bonds.Answer allowed = bonds.allow(want.column(), device);
        if (allowed != Bonds.Answer.YES) {
            fail(
                    allowed == Bonds.Answer.FAILED
                            ? new Outcome.Failure.OfAttribute(want.column(), device)
                            : new Outcome.Failure.AllAgainstConstraint(want.column(), device));
            return FAILED;
        }
        if (!stock.hasRoom(want.column(), device)) {
            return NO;
        }
        take(place, device);
        frames.push(new Frame.OfAll(place, device));
        return new Move.Pick(place, done + 1, 0);
    }

    private Move pickOne(Place place, int done, int start, long open) {
        if (!enough(place, start, open)) {
            return NO;
        }
        Optional<IntKey> looks = looks(place.entry, place.want.column(), place.claim, done, start, place.number + 1);
        Optional<Result> known = looks.flatMap(each -> Optional.ofNullable(failed.get(each)));
        return known.isPresent() ? new Move.Return(known.get()) : tryEach(place, done, start, looks);
    }

    private Move tryEach(Place place, int done, int start, Optional<IntKey> looks) {
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
                        return FAILED;
                    }
                }
                case YES -> {
                    switch (allows(place.want, device)) {
                        case YES -> {
                            take(place, device);
                            frames.push(new Frame.OfOne(place, done, device, i + 1, looks));
                            return new Move.Pick(place, done + 1, i + 1);
                        }
                        case NO -> {}
                        case FAILED -> {
                            if (manner.errorsCount) {
                                fail(new Outcome.Failure.OfAttribute(place.want.column(), device));
                                return FAILED;
                            }
                        }
                    }
                }
            }
        }
        return remembered(looks, Result.NO);
    }

    /** Returns whether enough candidates remain, or the search would meet an error among them. */
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

    /** Checks remaining counters and capacities, then the constraints. */
    private Bonds.Answer allows(Want want, int device) {
        return stock.hasRoom(want.column(), device) && stock.hasCounters(device)
                ? bonds.allow(want.column(), device)
                : Bonds.Answer.NO;
    }

    /** Admin access ignores other allocations, but a claim never gets a whole device twice. */
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

    // ---- memoized states
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

    private Move remembered(Optional<IntKey> looks, Result result) {
        if (failed.size() < REMEMBERED_MAX) {
            looks.ifPresent(each -> {
                failed.put(each, result);
                remembered += each.size() + REMEMBERED_BESIDE;
            });
        }
        return new Move.Return(result);
    }
}
