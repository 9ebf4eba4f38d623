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
    private static final Allocation BAD = DecisionSamples.gpu("bad");
    private static final Allocation GOOD = DecisionSamples.gpu("good");
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
    private record ServerState(
            long claimVersion,
            Optional<Long> mark,
            Optional<Allocation> allocation,
            boolean reserved,
            long podVersion,
            boolean gated,
            Optional<String> podNote,
            Optional<Allocation> scheduled,
            Optional<Allocation> bound,
            int edits) {
        /** @param edit the only edit that a user makes */
        static ServerState start(boolean reserved, int edit) {
            return new ServerState(
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

        ServerState claim(Optional<Long> newMark, Optional<Allocation> newAllocation, boolean isReserved) {
            return new ServerState(
                    claimVersion + 1,
                    newMark,
                    newAllocation,
                    isReserved,
                    podVersion,
                    gated,
                    podNote,
                    scheduled,
                    bound,
                    edits);
        }

        ServerState pod(boolean isGated, Optional<String> newNote) {
            return new ServerState(
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

        ServerState withSchedulerState(Optional<Allocation> nowScheduled, Optional<Allocation> nowBound) {
            return new ServerState(
                    claimVersion,
                    mark,
                    allocation,
                    reserved,
                    nowBound.isPresent() ? podVersion + 1 : podVersion,
                    gated,
                    podNote,
                    nowScheduled,
                    nowBound,
                    edits);
        }

        ServerState withEdit(ServerState next, int edit) {
            return new ServerState(
                    next.claimVersion,
                    next.mark,
                    next.allocation,
                    next.reserved,
                    next.podVersion,
                    next.gated,
                    next.podNote,
                    next.scheduled,
                    next.bound,
                    edits | edit);
        }

        VersionedObject claim() {
            var annotations = new TreeMap<String, String>();
            mark.ifPresent(number -> annotations.put(
                    ClaimStatusClient.DEALLOCATION_ANNOTATION, new DeallocationMark("-", "u", number).text()));
            ObjectMeta meta = meta(DecisionSamples.CLAIM.name(), "u", annotations);
            var spec = new ClaimSpec(List.of(), List.of(), List.of());
            return new VersionedObject(
                    new ResourceClaim(meta, spec, allocation, reserved ? List.of(POD) : List.of()), claimVersion);
        }

        GatedPod pod() {
            var annotations = new TreeMap<String, String>();
            podNote.ifPresent(text -> annotations.put(ClaimStatusClient.DEALLOCATION_ANNOTATION, text));
            var pod = new Pod(
                    meta("p", POD.uid(), annotations),
                    bound.map(_ -> "node"),
                    new TreeMap<>(),
                    Optional.empty(),
                    List.of(),
                    0,
                    true,
                    List.of(new PodClaim("c", new PodClaim.ClaimSource.ClaimReference(DecisionSamples.CLAIM.name()))),
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
            return claimVersion + " " + mark.orElse(0L) + " " + name(allocation) + " " + reserved;
        }

        /** Short form of the pod. */
        String podKey() {
            return podVersion + " " + gated + " " + podNote.orElse("-") + " " + name(bound);
        }

        String key() {
            return claimKey() + " | " + podKey() + " | " + name(scheduled) + " " + edits;
        }

        private static String name(Optional<Allocation> allocation) {
            return allocation.map(each -> each.equals(BAD) ? "bad" : "good").orElse("-");
        }

        Optional<String> violation() {
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

        record ReadCachedPod() implements Request {}

        record Mark(long version, Optional<Long> number) implements Request {}

        record Write(StatusChange change) implements Request {}

        record Touch(long version, String note) implements Request {}

        record Open(long version) implements Request {}

        default boolean isWrite() {
            return !(this instanceof ReadClaim || this instanceof ReadPods || this instanceof ReadCachedPod);
        }
    }

    /** @param key short form of the reply */
    private record ServerReply(ServerState world, String key, Object answer) {
        static ServerReply of(ServerState world, WriteResult answer) {
            return new ServerReply(world, answer.toString(), answer);
        }

        static ServerReply claim(ServerState world) {
            return new ServerReply(world, world.claimKey(), world.claim());
        }

        static ServerReply pod(ServerState world) {
            return new ServerReply(world, world.podKey(), world.pod());
        }
    }

    /**
     * A writer that commits decisions one after the other.
     *
     * @param decisions decisions to commit; the first is in progress
     * @param replies replies to its requests so far
     */
    private record WriterProcess(List<Decision> decisions, List<ServerReply> replies) {
        WriterProcess addReply(ServerReply answer) {
            var more = new ArrayList<>(replies);
            more.add(answer);
            return new WriterProcess(decisions, List.copyOf(more));
        }

        WriterProcess restart() {
            return new WriterProcess(decisions, List.of());
        }

        WriterProcess completeDecision(List<Decision> more) {
            var rest = new ArrayList<>(decisions.subList(1, decisions.size()));
            rest.addAll(more);
            return new WriterProcess(List.copyOf(rest), List.of());
        }

        String key() {
            var key = new StringBuilder();
            decisions.forEach(each -> key.append(each.number())
                    .append(
                            each.result() instanceof DecisionResult.Allocated granted
                                    ? "@" + granted.claimVersion()
                                            + (granted.allocation().equals(BAD) ? "b" : "g")
                                    : "")
                    .append(' '));
            replies.forEach(each -> key.append(each.key).append(';'));
            return key.toString();
        }
    }

    /** @param hasCrashed whether a writer has crashed; at most one writer crashes */
    private record ModelState(
            ServerState world, List<WriterProcess> writers, Optional<Request> lateRequest, boolean hasCrashed) {
        String key() {
            return world.key() + " || " + writers.get(0).key() + " || " + writers.get(1).key() + " || " + lateRequest + " "
                    + hasCrashed;
        }

        ModelState with(ServerState next, int writer, WriterProcess process) {
            var all = new ArrayList<>(writers);
            all.set(writer, process);
            return new ModelState(next, List.copyOf(all), lateRequest, hasCrashed);
        }

        ModelState with(ServerState next) {
            return new ModelState(next, writers, lateRequest, hasCrashed);
        }
    }

    /** Suspends a writer at a request without a reply. */
    private static final class RequestSuspension extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Request request;

        RequestSuspension(Request request) {
            super(null, null, false, false);
            this.request = request;
        }
    }

    /** Replays recorded replies. The first request without a recorded reply suspends the writer. */
    private static final class RecordedServer implements ClaimStatusClient, PodGates {
        private final Deque<ServerReply> replies;

        RecordedServer(List<ServerReply> answers) {
            this.replies = new ArrayDeque<>(answers);
        }

        private <T> T replay(Class<T> type, Request request) {
            if (replies.isEmpty()) {
                throw new RequestSuspension(request);
            }
            return type.cast(replies.remove().answer);
        }

        @Override
        public Optional<VersionedObject> read(ObjectKey claim) {
            return Optional.of(replay(VersionedObject.class, new Request.ReadClaim()));
        }

        @Override
        public WriteResult setDeallocationMark(VersionedObject claim, Optional<String> text) {
            Optional<Long> number = text.map(each -> Long.parseLong(each.substring("- u ".length())));
            return replay(WriteResult.class, new Request.Mark(claim.version(), number));
        }

        @Override
        public WriteResult write(StatusChange change) {
            return replay(WriteResult.class, new Request.Write(change));
        }

        @Override
        public Optional<GatedPod> readPod(ObjectKey pod) {
            return Optional.of(replay(GatedPod.class, new Request.ReadPods()));
        }

        @Override
        public Optional<GatedPod> readCachedPod(ObjectKey pod, String uid) {
            return Optional.of(replay(GatedPod.class, new Request.ReadCachedPod()));
        }

        @Override
        public List<GatedPod> listGatedPods(String namespace) {
            return List.of();
        }

        @Override
        public List<GatedPod> listPods(String namespace) {
            return List.of(replay(GatedPod.class, new Request.ReadPods()));
        }

        @Override
        public WriteResult markDeallocation(GatedPod pod, String note) {
            return replay(WriteResult.class, new Request.Touch(pod.version(), note));
        }

        @Override
        public WriteResult removeGate(GatedPod pod, Optional<String> node) {
            return replay(WriteResult.class, new Request.Open(pod.version()));
        }

        @Override
        public boolean isManaged(ResourceClaim claim) {
            return true;
        }
    }

    /** Depth-first exploration of all states. */
    private static final class ModelExplorer {
        private final Set<Fence> fences;
        private final ServerState start;
        private final Set<String> visitedKeys = new HashSet<>();
        private final Deque<ModelState> openStates = new ArrayDeque<>();
        private final List<String> violations = new ArrayList<>();
        private int clearedCount;
        private int rejectedCount;

        /** @param crash whether one writer crashes, at any of its requests */
        ModelExplorer(Set<Fence> fences, ServerState start, boolean crash) {
            this.fences = fences;
            this.start = start;
            Decision first =
                    decision(FIRST, new DecisionResult.Allocated("node-1", BAD, List.of(POD), start.claimVersion));
            Decision deallocation = decision(
                    DEALLOCATION,
                    new DecisionResult.Deallocation(BAD, POD, start.claimVersion, "the node is cordoned"));
            var stopped = new WriterProcess(List.of(first, deallocation), List.of());
            var active = new WriterProcess(List.of(deallocation), List.of());
            openStates.add(new ModelState(start, List.of(stopped, active), Optional.empty(), !crash));
        }

        static Decision decision(long number, DecisionResult verdict) {
            return new Decision(DecisionSamples.CLAIM, "u", number, ItemId.pod(KEY), verdict);
        }

        ModelExplorer run() {
            while (!openStates.isEmpty() && violations.isEmpty()) {
                ModelState moment = openStates.removeLast();
                if (visitedKeys.add(moment.key())) {
                    moment.world.violation().ifPresent(why -> violations.add(why + ": " + moment.key()));
                    step(moment);
                }
            }
            return this;
        }

        private void step(ModelState moment) {
            int before = openStates.size();
            for (int writer = 0; writer < moment.writers.size(); writer++) {
                if (!moment.writers.get(writer).decisions.isEmpty()) {
                    step(moment, writer);
                }
            }
            moment.lateRequest.ifPresent(request -> replies(moment.world, request)
                    .forEach(each -> openStates.add(
                            new ModelState(each.world, moment.writers, Optional.empty(), moment.hasCrashed))));
            boolean isGoingOn = openStates.size() > before;
            stepScheduler(moment);
            stepUsers(moment);
            if (!isGoingOn && moment.world.gated) {
                violations.add("the pod stays gated for ever: " + moment.key());
            }
        }

        private void step(ModelState moment, int writer) {
            WriterProcess process = moment.writers.get(writer);
            Decision decision = process.decisions.getFirst();
            var script = new RecordedServer(process.replies);
            try {
                CommitResult outcome = new ClusterCommitter(script, script, "never").commit(decision);
                count(decision, outcome);
                openStates.add(moment.with(
                        moment.world,
                        writer,
                        outcome.isRetriable()
                                ? process.restart()
                                : process.completeDecision(
                                        writer == 1 ? followUpDecisions(moment.world, decision) : List.of())));
            } catch (RequestSuspension suspended) {
                Request request = suspended.request;
                for (ServerReply each : replies(moment.world, request)) {
                    openStates.add(moment.with(each.world, writer, process.addReply(each)));
                    if (!moment.hasCrashed && request.isWrite()) {
                        ModelState crashed = moment.with(each.world, writer, process.restart());
                        openStates.add(new ModelState(
                                crashed.world, crashed.writers, Optional.empty(), true)); // after the write
                    }
                }
                if (!moment.hasCrashed && request.isWrite()) {
                    ModelState crashed = moment.with(moment.world, writer, process.restart());
                    openStates.add(new ModelState(crashed.world, crashed.writers, Optional.of(request), true));
                }
            }
        }

        private void count(Decision decision, CommitResult outcome) {
            if (decision.number() == DEALLOCATION) {
                clearedCount += outcome.status() == CommitStatus.COMMITTED ? 1 : 0;
                rejectedCount += outcome.status() == CommitStatus.REJECTED ? 1 : 0;
            }
        }

        /**
         * Decisions of the cell for the pod once it reads the claim: devices on a good node, or again the devices of
         * the claim.
         */
        private static List<Decision> followUpDecisions(ServerState world, Decision last) {
            if (!world.gated || last.number() >= LAST) {
                return List.of();
            }
            Allocation allocation = world.allocation.orElse(GOOD);
            return List.of(decision(
                    last.number() + 1,
                    new DecisionResult.Allocated("node-2", allocation, List.of(POD), world.claimVersion)));
        }

        private List<ServerReply> replies(ServerState world, Request request) {
            return switch (request) {
                case Request.ReadClaim _ -> List.of(ServerReply.claim(world));
                case Request.ReadPods _ -> List.of(ServerReply.pod(world));
                case Request.ReadCachedPod _ ->
                    start.podVersion == world.podVersion
                            ? List.of(ServerReply.pod(world))
                            : List.of(ServerReply.pod(world), new ServerReply(world, start.podKey(), start.pod()));
                case Request.Mark(long version, var number) ->
                    List.of(
                            version != world.claimVersion
                                    ? ServerReply.of(world, new WriteResult.Conflict())
                                    : success(world.mark.equals(number) ? world : setMark(world, number)));
                case Request.Touch(long version, String note) -> List.of(markPod(world, version, note));
                case Request.Open(long version) -> List.of(removeGate(world, version));
                case Request.Write(StatusChange change) -> List.of(applyChange(world, change));
            };
        }

        private static ServerReply success(ServerState world) {
            return ServerReply.of(world, new WriteResult.Success(world.claimVersion));
        }

        private ServerState setMark(ServerState world, Optional<Long> number) {
            return world.claim(
                    fences.contains(Fence.MARK_IS_KEPT) ? number : world.mark, world.allocation, world.reserved);
        }

        private ServerReply markPod(ServerState world, long version, String note) {
            if (version != world.podVersion) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            boolean isSame = world.podNote.equals(Optional.of(note)) || !fences.contains(Fence.TOUCH_CHANGES_THE_POD);
            ServerState next = isSame ? world : world.pod(world.gated, Optional.of(note));
            return ServerReply.of(next, new WriteResult.Success(next.podVersion));
        }

        private ServerReply removeGate(ServerState world, long version) {
            if (version != world.podVersion && fences.contains(Fence.GATE_OPENS_AT_THE_VERSION_READ)) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            ServerState next = world.pod(false, Optional.empty());
            return ServerReply.of(next, new WriteResult.Success(next.podVersion));
        }

        private ServerReply applyChange(ServerState world, StatusChange change) {
            boolean isClear = change.allocation().isEmpty() && change.scope() == ClaimStatusClient.WriteScope.ALL;
            boolean isFenced = !isClear || fences.contains(Fence.CLAIM_IS_CLEARED_AT_THE_VERSION_READ);
            if (change.version() != world.claimVersion && isFenced) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            return switch (change.scope()) {
                case VERSION -> success(world.claim(world.mark, world.allocation, world.reserved));
                case CONSUMERS ->
                    success(world.claim(
                            world.mark, world.allocation, !change.reservedFor().isEmpty()));
                case ALL ->
                    success(world.claim(
                            world.mark,
                            change.allocation(),
                            !change.reservedFor().isEmpty()));
            };
        }

        /** The scheduler decides by its cache, and binds later without another read of the claim. */
        private void stepScheduler(ModelState moment) {
            ServerState world = moment.world;
            if (!world.gated && world.bound.isEmpty() && world.scheduled.isEmpty() && world.reserved) {
                openStates.add(moment.with(world.withSchedulerState(world.allocation, Optional.empty())));
            }
            if (world.scheduled.isPresent() && world.bound.isEmpty()) {
                openStates.add(moment.with(world.withSchedulerState(world.scheduled, world.scheduled)));
            }
        }

        /** Each edit once: a label of the claim or the pod changes, or the deallocation mark is removed. */
        private void stepUsers(ModelState moment) {
            ServerState world = moment.world;
            if ((world.edits & LABEL_OF_CLAIM) == 0) {
                openStates.add(moment.with(
                        world.withEdit(world.claim(world.mark, world.allocation, world.reserved), LABEL_OF_CLAIM)));
            }
            if ((world.edits & LABEL_OF_POD) == 0) {
                openStates.add(moment.with(world.withEdit(world.pod(world.gated, world.podNote), LABEL_OF_POD)));
            }
            if ((world.edits & MARK_OF_CLAIM) == 0 && world.mark.isPresent()) {
                openStates.add(moment.with(world.withEdit(
                        world.claim(Optional.empty(), world.allocation, world.reserved), MARK_OF_CLAIM)));
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
    void bindsNoPodWithClearedClaim(boolean reserved, int edit, boolean crash) {
        ModelExplorer walk =
                new ModelExplorer(EnumSet.allOf(Fence.class), ServerState.start(reserved, edit), crash).run();
        assertThat(walk.violations).isEmpty();
        assertThat(walk.clearedCount).isPositive();
        assertThat(walk.rejectedCount).isPositive();
    }

    @ParameterizedTest
    @EnumSource
    void findsViolationWithoutAnyOneFence(Fence removed) {
        Set<Fence> others = EnumSet.complementOf(EnumSet.of(removed));
        assertThat(new ModelExplorer(others, ServerState.start(true, 0), false).run().violations)
                .isNotEmpty();
    }
}
