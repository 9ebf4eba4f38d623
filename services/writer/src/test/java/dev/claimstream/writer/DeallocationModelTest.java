package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DeallocationModel.Fence;
import dev.claimstream.writer.DeallocationModel.LateRequest;
import dev.claimstream.writer.DeallocationModel.ModelState;
import dev.claimstream.writer.DeallocationModel.Request;
import dev.claimstream.writer.DeallocationModel.ServerReply;
import dev.claimstream.writer.DeallocationModel.ServerState;
import dev.claimstream.writer.DeallocationModel.StateKey;
import dev.claimstream.writer.DeallocationModel.WriterProcess;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Explores all interleavings of two writers, kube-scheduler, users, crashes and late requests.
 *
 * <p>The model has one claim and one pod. The writers run the real code: a writer runs again for each of its requests,
 * with the replies so far, and once for equal replies. Without any one of the fences, the exploration finds a bound pod
 * with devices that its claim does not have.
 */
final class DeallocationModelTest {
    private static final ObjectKey KEY = new ObjectKey("team", "p");
    private static final long FIRST = 4;
    private static final long DEALLOCATION = 5;
    private static final long LAST = 7;

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
            return type.cast(replies.remove().answer());
        }

        @Override
        public Optional<VersionedObject> readClass(String name) {
            return Optional.empty();
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
            return replay(WriteResult.class, new Request.WriteStatus(change));
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

    /** What a writer does next. */
    private sealed interface WriterStep {
        record NextRequest(LateRequest request) implements WriterStep {}

        record WriterEnd(CommitResult outcome) implements WriterStep {}
    }

    /** Depth-first exploration of all states. */
    private static final class ModelExplorer {
        private final Set<Fence> fences;
        private final ServerState start;
        private final Set<StateKey> visitedKeys = new HashSet<>();
        private final Deque<ModelState> openStates = new ArrayDeque<>();
        /** What a writer does after its replies, by its key: the code has no other input. */
        private final Map<String, WriterStep> steps = new HashMap<>();

        private final List<String> violations = new ArrayList<>();
        private int clearedCount;
        private int rejectedCount;

        /** @param crash whether one writer crashes, at any of its requests */
        ModelExplorer(Set<Fence> fences, ServerState start, boolean crash) {
            this.fences = fences;
            this.start = start;
            Decision first = decision(
                    FIRST,
                    new DecisionResult.Allocated(
                            "node-1", DeallocationModel.BAD, List.of(DeallocationModel.POD), start.claimVersion()));
            Decision deallocation = decision(
                    DEALLOCATION,
                    new DecisionResult.Deallocation(
                            DeallocationModel.BAD,
                            DeallocationModel.POD,
                            start.claimVersion(),
                            "the node is cordoned"));
            var stopped = WriterProcess.start(List.of(first, deallocation));
            var active = WriterProcess.start(List.of(deallocation));
            openStates.add(new ModelState(start, List.of(stopped, active), Optional.empty(), !crash));
        }

        static Decision decision(long number, DecisionResult verdict) {
            return new Decision(DecisionSamples.CLAIM, "u", number, ItemId.pod(KEY), verdict);
        }

        ModelExplorer run() {
            while (!openStates.isEmpty() && violations.isEmpty()) {
                ModelState moment = openStates.removeLast();
                if (visitedKeys.add(moment.key())) {
                    moment.world().violation().ifPresent(reason -> violations.add(reason + ": " + moment.key()));
                    step(moment);
                }
            }
            return this;
        }

        private void step(ModelState moment) {
            int before = openStates.size();
            for (int writer = 0; writer < moment.writers().size(); writer++) {
                if (!moment.writers().get(writer).decisions().isEmpty()) {
                    step(moment, writer);
                }
            }
            moment.lateRequest()
                    .ifPresent(late -> replies(moment.world(), late.request())
                            .forEach(each -> openStates.add(new ModelState(
                                    each.world(), moment.writers(), Optional.empty(), moment.hasCrashed()))));
            boolean isGoingOn = openStates.size() > before;
            stepScheduler(moment);
            stepUsers(moment);
            if (!isGoingOn && moment.world().gated()) {
                violations.add("the pod stays gated for ever: " + moment.key());
            }
        }

        private void step(ModelState moment, int writer) {
            WriterProcess process = moment.writers().get(writer);
            Decision decision = process.decisions().getFirst();
            switch (steps.computeIfAbsent(process.key(), _ -> runWriter(process))) {
                case WriterStep.WriterEnd(CommitResult outcome) -> {
                    count(decision, outcome);
                    openStates.add(moment.with(
                            moment.world(),
                            writer,
                            outcome.isRetriable()
                                    ? process.restart()
                                    : process.completeDecision(
                                            writer == 1 ? followUpDecisions(moment.world(), decision) : List.of())));
                }
                case WriterStep.NextRequest(LateRequest next) -> {
                    Request request = next.request();
                    for (ServerReply each : replies(moment.world(), request)) {
                        openStates.add(moment.with(each.world(), writer, process.addReply(each)));
                        if (!moment.hasCrashed() && request.isWrite()) {
                            ModelState crashed = moment.with(each.world(), writer, process.restart());
                            openStates.add(new ModelState(
                                    crashed.world(), crashed.writers(), Optional.empty(), true)); // after the write
                        }
                    }
                    if (!moment.hasCrashed() && request.isWrite()) {
                        ModelState crashed = moment.with(moment.world(), writer, process.restart());
                        openStates.add(new ModelState(crashed.world(), crashed.writers(), Optional.of(next), true));
                    }
                }
            }
        }

        private static WriterStep runWriter(WriterProcess process) {
            var script = new RecordedServer(process.replies());
            try {
                return new WriterStep.WriterEnd(new ClusterCommitter(script, script, "never")
                        .commit(process.decisions().getFirst()));
            } catch (RequestSuspension suspended) {
                return new WriterStep.NextRequest(new LateRequest(suspended.request, suspended.request.toString()));
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
            if (!world.gated() || last.number() >= LAST) {
                return List.of();
            }
            Allocation allocation = world.allocation().orElse(DeallocationModel.GOOD);
            return List.of(decision(
                    last.number() + 1,
                    new DecisionResult.Allocated(
                            "node-2", allocation, List.of(DeallocationModel.POD), world.claimVersion())));
        }

        private List<ServerReply> replies(ServerState world, Request request) {
            return switch (request) {
                case Request.ReadClaim _ -> List.of(ServerReply.claim(world));
                case Request.ReadPods _ -> List.of(ServerReply.pod(world));
                case Request.ReadCachedPod _ ->
                    start.podVersion() == world.podVersion()
                            ? List.of(ServerReply.pod(world))
                            : List.of(ServerReply.pod(world), new ServerReply(world, start.podKey(), start.pod()));
                case Request.Mark(long version, var number) ->
                    List.of(
                            version != world.claimVersion()
                                    ? ServerReply.of(world, new WriteResult.Conflict())
                                    : success(world.mark().equals(number) ? world : setMark(world, number)));
                case Request.Touch(long version, String note) -> List.of(markPod(world, version, note));
                case Request.Open(long version) -> List.of(removeGate(world, version));
                case Request.WriteStatus(StatusChange change) -> List.of(applyChange(world, change));
            };
        }

        private static ServerReply success(ServerState world) {
            return ServerReply.of(world, new WriteResult.Success(world.claimVersion()));
        }

        private ServerState setMark(ServerState world, Optional<Long> number) {
            return world.claim(
                    fences.contains(Fence.MARK_IS_KEPT) ? number : world.mark(), world.allocation(), world.reserved());
        }

        private ServerReply markPod(ServerState world, long version, String note) {
            if (version != world.podVersion()) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            boolean isSame = world.podNote().equals(Optional.of(note)) || !fences.contains(Fence.TOUCH_CHANGES_THE_POD);
            ServerState next = isSame ? world : world.pod(world.gated(), Optional.of(note));
            return ServerReply.of(next, new WriteResult.Success(next.podVersion()));
        }

        private ServerReply removeGate(ServerState world, long version) {
            if (version != world.podVersion() && fences.contains(Fence.GATE_OPENS_AT_THE_VERSION_READ)) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            ServerState next = world.pod(false, Optional.empty());
            return ServerReply.of(next, new WriteResult.Success(next.podVersion()));
        }

        private ServerReply applyChange(ServerState world, StatusChange change) {
            boolean isClear = change.allocation().isEmpty() && change.scope() == ClaimStatusClient.WriteScope.ALL;
            boolean isFenced = !isClear || fences.contains(Fence.CLAIM_IS_CLEARED_AT_THE_VERSION_READ);
            if (change.version() != world.claimVersion() && isFenced) {
                return ServerReply.of(world, new WriteResult.Conflict());
            }
            return switch (change.scope()) {
                case VERSION -> success(world.claim(world.mark(), world.allocation(), world.reserved()));
                case CONSUMERS ->
                    success(world.claim(
                            world.mark(),
                            world.allocation(),
                            !change.reservedFor().isEmpty()));
                case ALL ->
                    success(world.claim(
                            world.mark(),
                            change.allocation(),
                            !change.reservedFor().isEmpty()));
            };
        }

        /** The scheduler decides by its cache, and binds later without another read of the claim. */
        private void stepScheduler(ModelState moment) {
            ServerState world = moment.world();
            if (!world.gated() && world.bound().isEmpty() && world.scheduled().isEmpty() && world.reserved()) {
                openStates.add(moment.with(world.withSchedulerState(world.allocation(), Optional.empty())));
            }
            if (world.scheduled().isPresent() && world.bound().isEmpty()) {
                openStates.add(moment.with(world.withSchedulerState(world.scheduled(), world.scheduled())));
            }
        }

        /** Each edit once: a label of the claim or the pod changes, or the deallocation mark is removed. */
        private void stepUsers(ModelState moment) {
            ServerState world = moment.world();
            if ((world.edits() & DeallocationModel.LABEL_OF_CLAIM) == 0) {
                openStates.add(moment.with(world.withEdit(
                        world.claim(world.mark(), world.allocation(), world.reserved()),
                        DeallocationModel.LABEL_OF_CLAIM)));
            }
            if ((world.edits() & DeallocationModel.LABEL_OF_POD) == 0) {
                openStates.add(moment.with(
                        world.withEdit(world.pod(world.gated(), world.podNote()), DeallocationModel.LABEL_OF_POD)));
            }
            if ((world.edits() & DeallocationModel.MARK_OF_CLAIM) == 0
                    && world.mark().isPresent()) {
                openStates.add(moment.with(world.withEdit(
                        world.claim(Optional.empty(), world.allocation(), world.reserved()),
                        DeallocationModel.MARK_OF_CLAIM)));
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
