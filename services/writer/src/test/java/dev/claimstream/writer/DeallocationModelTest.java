package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Explores all interleavings of two writers, kube-scheduler, users, crashes and late requests.
 *
 * <p>The model has one claim and one pod. The writers run the real code: a writer runs again for each of its requests,
 * with the replies so far. Without any one of the fences, the exploration finds a bound pod with devices that its claim
 * does not have.
 */
final class DeallocationModelTest {
    private static final ClaimConsumer POD = ClaimConsumer.pod("p", "uid-p");
    private static final ObjectKey KEY = new ObjectKey("team", "p");
    private static final Allocation BAD = Sample.gpu("bad");
    private static final Allocation GOOD = Sample.gpu("good");
    private static final long FIRST = 4;
    private static final long DEALLOCATION = 5;
    private static final long LAST = 7;

    /** Edits that a user makes once, at any time. */
    private static final int LABEL_OF_CLAIM = 1;

    private static final int LABEL_OF_POD = 2;
    private static final int MARK_OF_CLAIM = 4;
    private static final int ALL_EDITS = 7;

    /** A condition that prevents the gate removal of a pod whose claim is then cleared. */
    enum Fence {
        MARK_IS_KEPT,
        TOUCH_CHANGES_THE_POD,
        GATE_OPENS_AT_THE_VERSION_READ,
        CLAIM_IS_CLEARED_AT_THE_VERSION_READ
    }

    /** State of the API server. */
    private record World(
            long claimVersion,
            Optional<Long> mark,
            Optional<Allocation> allocation,
            boolean reserved,
            long podVersion,
            boolean gated,
            Optional<String> note,
            Optional<Allocation> scheduled,
            Optional<Allocation> bound,
            int edits) {
        /** @param edit the only edit that a user makes */
        static World start(boolean reserved, int edit) {
            return new World(
                    10,
                    Optional.empty(),
                    Optional.of(BAD),
                    reserved,
                    20,
                    true,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    ALL_EDITS & ~edit);
        }

        World claim(Optional<Long> newMark, Optional<Allocation> newAllocation, boolean isReserved) {
            return new World(
                    claimVersion + 1,
                    newMark,
                    newAllocation,
                    isReserved,
                    podVersion,
                    gated,
                    note,
                    scheduled,
                    bound,
                    edits);
        }

        World pod(boolean isGated, Optional<String> newNote) {
            return new World(
                    claimVersion,
                    mark,
                    allocation,
                    reserved,
                    podVersion + 1,
                    isGated,
                    newNote,
                    scheduled,
                    bound,
                    edits);
        }

        World scheduler(Optional<Allocation> nowScheduled, Optional<Allocation> nowBound) {
            return new World(
                    claimVersion,
                    mark,
                    allocation,
                    reserved,
                    nowBound.isPresent() ? podVersion + 1 : podVersion,
                    gated,
                    note,
                    nowScheduled,
                    nowBound,
                    edits);
        }

        World edited(World next, int edit) {
            return new World(
                    next.claimVersion,
                    next.mark,
                    next.allocation,
                    next.reserved,
                    next.podVersion,
                    next.gated,
                    next.note,
                    next.scheduled,
                    next.bound,
                    edits | edit);
        }

        VersionedObject claim() {
            var annotations = new TreeMap<String, String>();
            mark.ifPresent(number -> annotations.put(
                    ClaimStatusClient.DEALLOCATION_ANNOTATION, new DeallocationMark("-", "u", number).text()));
            ObjectMeta meta = meta(Sample.CLAIM.name(), "u", annotations);
            var spec = new ClaimSpec(List.of(), List.of(), List.of());
            return new VersionedObject(
                    new ResourceClaim(meta, spec, allocation, reserved ? List.of(POD) : List.of()), claimVersion);
        }

        GatedPod pod() {
            var annotations = new TreeMap<String, String>();
            note.ifPresent(text -> annotations.put(ClaimStatusClient.DEALLOCATION_ANNOTATION, text));
            var pod = new Pod(
                    meta("p", POD.uid(), annotations),
                    bound.map(_ -> "node"),
                    new TreeMap<>(),
                    Optional.empty(),
                    List.of(),
                    0,
                    true,
                    List.of(new PodClaim("c", new PodClaim.ClaimSource.ClaimReference(Sample.CLAIM.name()))),
                    List.of(),
                    ResourceList.none(),
                    new TreeMap<>(),
                    Optional.empty(),
                    gated ? List.of(PodGates.GATE) : List.of(),
                    PodTopology.none(),
                    false);
            return new GatedPod(pod, podVersion, gated);
        }

        private static ObjectMeta meta(String name, String uid, TreeMap<String, String> annotations) {
            return new ObjectMeta(
                    "team", name, uid, Optional.empty(), 0, new TreeMap<>(), annotations, Optional.empty(), false);
        }

        /** Short form of the claim. */
        String claimKey() {
            return "%d %s %s %s".formatted(claimVersion, mark.orElse(0L), name(allocation), reserved);
        }

        /** Short form of the pod. */
        String podKey() {
            return "%d %s %s %s".formatted(podVersion, gated, note.orElse("-"), name(bound));
        }

        String key() {
            return "%s | %s | %s %d".formatted(claimKey(), podKey(), name(scheduled), edits);
        }

        private static String name(Optional<Allocation> allocation) {
            return allocation.map(each -> each.equals(BAD) ? "bad" : "good").orElse("-");
        }

        Optional<String> broken() {
            if (!gated && (allocation.isEmpty() || !reserved)) {
                return Optional.of("the pod was let go, and its claim is cleared");
            }
            return bound.isPresent() && !bound.equals(allocation)
                    ? Optional.of("the pod is bound with other devices than its claim has")
                    : Optional.empty();
        }
    }

    /** A request to the API server, with the versions that it names. */
    private sealed interface Request {
        record ReadClaim() implements Request {}

        record ReadPods() implements Request {}

        record RecallPod() implements Request {}

        record Mark(long version, Optional<Long> number) implements Request {}

        record Write(StatusChange change) implements Request {}

        record Touch(long version, String note) implements Request {}

        record Open(long version) implements Request {}

        default boolean isWrite() {
            return !(this instanceof ReadClaim || this instanceof ReadPods || this instanceof RecallPod);
        }
    }

    /** @param key short form of the reply */
    private record Answered(World world, String key, Object answer) {
        static Answered of(World world, WriteResult answer) {
            return new Answered(world, answer.toString(), answer);
        }

        static Answered claim(World world) {
            return new Answered(world, world.claimKey(), world.claim());
        }

        static Answered pod(World world) {
            return new Answered(world, world.podKey(), world.pod());
        }
    }

    /**
     * A writer that commits decisions one after the other.
     *
     * @param todo decisions to commit; the first is in progress
     * @param answers replies to its requests so far
     */
    private record WriterProcess(List<Decision> todo, List<Answered> answers) {
        WriterProcess with(Answered answer) {
            var more = new ArrayList<>(answers);
            more.add(answer);
            return new WriterProcess(todo, List.copyOf(more));
        }

        WriterProcess restarted() {
            return new WriterProcess(todo, List.of());
        }

        WriterProcess done(List<Decision> more) {
            var rest = new ArrayList<>(todo.subList(1, todo.size()));
            rest.addAll(more);
            return new WriterProcess(List.copyOf(rest), List.of());
        }

        String key() {
            var key = new StringBuilder();
            todo.forEach(each -> key.append(each.number())
                    .append(
                            each.result() instanceof DecisionResult.Allocated granted
                                    ? "@" + granted.claimVersion()
                                            + (granted.allocation().equals(BAD) ? "b" : "g")
                                    : "")
                    .append(' '));
            answers.forEach(each -> key.append(each.key).append(';'));
            return key.toString();
        }
    }

    /** @param crashed whether a writer has crashed; at most one writer crashes */
    private record Moment(World world, List<WriterProcess> writers, Optional<Request> late, boolean crashed) {
        String key() {
            return "%s || %s || %s || %s %s"
                    .formatted(world.key(), writers.get(0).key(), writers.get(1).key(), late, crashed);
        }

        Moment with(World next, int writer, WriterProcess process) {
            var all = new ArrayList<>(writers);
            all.set(writer, process);
            return new Moment(next, List.copyOf(all), late, crashed);
        }

        Moment with(World next) {
            return new Moment(next, writers, late, crashed);
        }
    }

    /** Suspends a writer at a request without a reply. */
    private static final class Suspended extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Request request;

        Suspended(Request request) {
            super(null, null, false, false);
            this.request = request;
        }
    }

    /** Replays recorded replies. The first request without a recorded reply suspends the writer. */
    private static final class Script implements ClaimStatusClient, PodGates {
        private final Deque<Answered> answers;

        Script(List<Answered> answers) {
            this.answers = new ArrayDeque<>(answers);
        }

        private <T> T ask(Class<T> type, Request request) {
            if (answers.isEmpty()) {
                throw new Suspended(request);
            }
            return type.cast(answers.remove().answer);
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey claim) {
            return Optional.of(ask(VersionedObject.class, new Request.ReadClaim()));
        }

        @Override
        public WriteResult setDeallocationMark(VersionedObject claim, Optional<String> text) {
            Optional<Long> number = text.map(each -> Long.parseLong(each.substring("- u ".length())));
            return ask(WriteResult.class, new Request.Mark(claim.version(), number));
        }

        @Override
        public WriteResult write(StatusChange change) {
            return ask(WriteResult.class, new Request.Write(change));
        }

        @Override
        public Optional<GatedPod> readPod(ObjectKey pod) {
            return Optional.of(ask(GatedPod.class, new Request.ReadPods()));
        }

        @Override
        public Optional<GatedPod> readCachedPod(ObjectKey pod, String uid) {
            return Optional.of(ask(GatedPod.class, new Request.RecallPod()));
        }

        @Override
        public List<GatedPod> listGatedPods(String namespace) {
            return List.of();
        }

        @Override
        public List<GatedPod> listPods(String namespace) {
            return List.of(ask(GatedPod.class, new Request.ReadPods()));
        }

        @Override
        public WriteResult markDeallocation(GatedPod pod, String note) {
            return ask(WriteResult.class, new Request.Touch(pod.version(), note));
        }

        @Override
        public WriteResult removeGate(GatedPod pod, Optional<String> node) {
            return ask(WriteResult.class, new Request.Open(pod.version()));
        }

        @Override
        public boolean isManaged(ResourceClaim claim) {
            return true;
        }
    }

    /** Depth-first exploration of all states. */
    private static final class Walk {
        private final Set<Fence> fences;
        private final World start;
        private final Set<String> seen = new HashSet<>();
        private final Deque<Moment> open = new ArrayDeque<>();
        private final List<String> broken = new ArrayList<>();
        private int cleared;
        private int rejected;

        /** @param crash whether one writer crashes, at any of its requests */
        Walk(Set<Fence> fences, World start, boolean crash) {
            this.fences = fences;
            this.start = start;
            Decision first =
                    decision(FIRST, new DecisionResult.Allocated("node-1", BAD, List.of(POD), start.claimVersion));
            Decision deallocation = decision(
                    DEALLOCATION,
                    new DecisionResult.Deallocation(BAD, POD, start.claimVersion, "the node is cordoned"));
            var stopped = new WriterProcess(List.of(first, deallocation), List.of());
            var active = new WriterProcess(List.of(deallocation), List.of());
            open.add(new Moment(start, List.of(stopped, active), Optional.empty(), !crash));
        }

        static Decision decision(long number, DecisionResult verdict) {
            return new Decision(Sample.CLAIM, "u", number, ItemId.pod(KEY), verdict);
        }

        Walk run() {
            while (!open.isEmpty() && broken.isEmpty()) {
                Moment moment = open.removeLast();
                if (seen.add(moment.key())) {
                    moment.world.broken().ifPresent(why -> broken.add(why + ": " + moment.key()));
                    step(moment);
                }
            }
            return this;
        }

        private void step(Moment moment) {
            int before = open.size();
            for (int writer = 0; writer < moment.writers.size(); writer++) {
                if (!moment.writers.get(writer).todo.isEmpty()) {
                    step(moment, writer);
                }
            }
            moment.late.ifPresent(request -> answers(moment.world, request)
                    .forEach(each ->
                            open.add(new Moment(each.world, moment.writers, Optional.empty(), moment.crashed))));
            boolean isGoingOn = open.size() > before;
            scheduler(moment);
            users(moment);
            if (!isGoingOn && moment.world.gated) {
                broken.add("the pod stays gated for ever: " + moment.key());
            }
        }

        private void step(Moment moment, int writer) {
            WriterProcess process = moment.writers.get(writer);
            Decision decision = process.todo.getFirst();
            var script = new Script(process.answers);
            try {
                CommitResult outcome = new ClusterCommitter(script, script, "never").commit(decision);
                count(decision, outcome);
                open.add(moment.with(
                        moment.world,
                        writer,
                        outcome.isRetriable()
                                ? process.restarted()
                                : process.done(writer == 1 ? next(moment.world, decision) : List.of())));
            } catch (Suspended suspended) {
                Request request = suspended.request;
                for (Answered each : answers(moment.world, request)) {
                    open.add(moment.with(each.world, writer, process.with(each)));
                    if (!moment.crashed && request.isWrite()) {
                        Moment crashed = moment.with(each.world, writer, process.restarted());
                        open.add(new Moment(crashed.world, crashed.writers, Optional.empty(), true)); // after the write
                    }
                }
                if (!moment.crashed && request.isWrite()) {
                    Moment crashed = moment.with(moment.world, writer, process.restarted());
                    open.add(new Moment(crashed.world, crashed.writers, Optional.of(request), true));
                }
            }
        }

        private void count(Decision decision, CommitResult outcome) {
            if (decision.number() == DEALLOCATION) {
                cleared += outcome.status() == CommitStatus.COMMITTED ? 1 : 0;
                rejected += outcome.status() == CommitStatus.REJECTED ? 1 : 0;
            }
        }

        /**
         * Decisions of the cell for the pod once it reads the claim: devices on a good node, or again the devices of
         * the claim.
         */
        private static List<Decision> next(World world, Decision last) {
            if (!world.gated || last.number() >= LAST) {
                return List.of();
            }
            Allocation allocation = world.allocation.orElse(GOOD);
            return List.of(decision(
                    last.number() + 1,
                    new DecisionResult.Allocated("node-2", allocation, List.of(POD), world.claimVersion)));
        }

        private List<Answered> answers(World world, Request request) {
            return switch (request) {
                case Request.ReadClaim _ -> List.of(Answered.claim(world));
                case Request.ReadPods _ -> List.of(Answered.pod(world));
                case Request.RecallPod _ ->
                    start.podVersion == world.podVersion
                            ? List.of(Answered.pod(world))
                            : List.of(Answered.pod(world), new Answered(world, start.podKey(), start.pod()));
                case Request.Mark(long version, var number) ->
                    List.of(
                            version != world.claimVersion
                                    ? Answered.of(world, new WriteResult.Conflict())
                                    : written(world.mark.equals(number) ? world : marked(world, number)));
                case Request.Touch(long version, String note) -> List.of(touched(world, version, note));
                case Request.Open(long version) -> List.of(opened(world, version));
                case Request.Write(StatusChange change) -> List.of(changed(world, change));
            };
        }

        private static Answered written(World world) {
            return Answered.of(world, new WriteResult.Success(world.claimVersion));
        }

        private World marked(World world, Optional<Long> number) {
            return world.claim(
                    fences.contains(Fence.MARK_IS_KEPT) ? number : world.mark, world.allocation, world.reserved);
        }

        private Answered touched(World world, long version, String note) {
            if (version != world.podVersion) {
                return Answered.of(world, new WriteResult.Conflict());
            }
            boolean isSame = world.note.equals(Optional.of(note)) || !fences.contains(Fence.TOUCH_CHANGES_THE_POD);
            World next = isSame ? world : world.pod(world.gated, Optional.of(note));
            return Answered.of(next, new WriteResult.Success(next.podVersion));
        }

        private Answered opened(World world, long version) {
            if (version != world.podVersion && fences.contains(Fence.GATE_OPENS_AT_THE_VERSION_READ)) {
                return Answered.of(world, new WriteResult.Conflict());
            }
            World next = world.pod(false, Optional.empty());
            return Answered.of(next, new WriteResult.Success(next.podVersion));
        }

        private Answered changed(World world, StatusChange change) {
            boolean isClear = change.allocation().isEmpty() && change.scope() == ClaimStatusClient.WriteScope.ALL;
            boolean isFenced = !isClear || fences.contains(Fence.CLAIM_IS_CLEARED_AT_THE_VERSION_READ);
            if (change.version() != world.claimVersion && isFenced) {
                return Answered.of(world, new WriteResult.Conflict());
            }
            return switch (change.scope()) {
                case VERSION -> written(world.claim(world.mark, world.allocation, world.reserved));
                case CONSUMERS ->
                    written(world.claim(
                            world.mark, world.allocation, !change.reservedFor().isEmpty()));
                case ALL ->
                    written(world.claim(
                            world.mark,
                            change.allocation(),
                            !change.reservedFor().isEmpty()));
            };
        }

        /** The scheduler decides by its cache, and binds later without another read of the claim. */
        private void scheduler(Moment moment) {
            World world = moment.world;
            if (!world.gated && world.bound.isEmpty() && world.scheduled.isEmpty() && world.reserved) {
                open.add(moment.with(world.scheduler(world.allocation, Optional.empty())));
            }
            if (world.scheduled.isPresent() && world.bound.isEmpty()) {
                open.add(moment.with(world.scheduler(world.scheduled, world.scheduled)));
            }
        }

        /** Each edit once: a label of the claim or the pod changes, or the deallocation mark is removed. */
        private void users(Moment moment) {
            World world = moment.world;
            if ((world.edits & LABEL_OF_CLAIM) == 0) {
                open.add(moment.with(
                        world.edited(world.claim(world.mark, world.allocation, world.reserved), LABEL_OF_CLAIM)));
            }
            if ((world.edits & LABEL_OF_POD) == 0) {
                open.add(moment.with(world.edited(world.pod(world.gated, world.note), LABEL_OF_POD)));
            }
            if ((world.edits & MARK_OF_CLAIM) == 0 && world.mark.isPresent()) {
                open.add(moment.with(
                        world.edited(world.claim(Optional.empty(), world.allocation, world.reserved), MARK_OF_CLAIM)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, 0, true",
        "false, 0, true",
        "true, 1, false",
        "true, 2, false",
        "true, 4, false",
        "false, 1, false",
        "false, 2, false",
        "false, 4, false"
    })
    void noPodIsBoundWithAClaimThatIsCleared(boolean reserved, int edit, boolean crash) {
        Walk walk = new Walk(EnumSet.allOf(Fence.class), World.start(reserved, edit), crash).run();
        assertThat(walk.broken).isEmpty();
        assertThat(walk.cleared).isPositive();
        assertThat(walk.rejected).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void withoutOneOfTheFencesThereIsOne(Fence removed) {
        Set<Fence> others = EnumSet.complementOf(EnumSet.of(removed));
        assertThat(new Walk(others, World.start(true, 0), false).run().broken).isNotEmpty();
    }
}
