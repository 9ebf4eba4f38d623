package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** The state of the API server, of two writers and of their requests, for an exploration of all interleavings. */
final class DeallocationModel {
    static final ClaimConsumer POD = ClaimConsumer.pod("p", "uid-p");
    static final Allocation BAD = DecisionSamples.gpu("bad");
    static final Allocation GOOD = DecisionSamples.gpu("good");

    /** Edits that a user makes once, at any time. */
    static final int LABEL_OF_CLAIM = 1;

    static final int LABEL_OF_POD = 2;
    static final int MARK_OF_CLAIM = 4;
    private static final int ALL_EDITS = 7;

    private DeallocationModel() {}

    /** A condition that prevents the gate removal of a pod whose claim is then cleared. */
    enum Fence {
        MARK_IS_KEPT,
        TOUCH_CHANGES_THE_POD,
        GATE_OPENS_AT_THE_VERSION_READ,
        CLAIM_IS_CLEARED_AT_THE_VERSION_READ
    }

    /** State of the API server. */
    record ServerState(
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
            var pod = Pod.builder(meta("p", POD.uid(), annotations))
                    .nodeName(bound.map(_ -> "node"))
                    .resourceClaims(List.of(
                            new PodClaim("c", new PodClaim.ClaimSource.ClaimReference(DecisionSamples.CLAIM.name()))))
                    .schedulingGates(gated ? List.of(PodGates.GATE) : List.of())
                    .build();
            return new GatedPod(pod, podVersion, gated);
        }

        private static ObjectMeta meta(String name, String uid, TreeMap<String, String> annotations) {
            return ObjectMeta.builder("team", name, uid)
                    .annotations(annotations)
                    .build();
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
    sealed interface Request {
        record ReadClaim() implements Request {}

        record ReadPods() implements Request {}

        record ReadCachedPod() implements Request {}

        record Mark(long version, Optional<Long> number) implements Request {}

        record WriteStatus(StatusChange change) implements Request {}

        record Touch(long version, String note) implements Request {}

        record Open(long version) implements Request {}

        default boolean isWrite() {
            return !(this instanceof ReadClaim || this instanceof ReadPods || this instanceof ReadCachedPod);
        }
    }

    /** @param key short form of the reply */
    record ServerReply(ServerState world, String key, Object answer) {
        static ServerReply of(ServerState world, WriteResult result) {
            return new ServerReply(world, result.toString(), result);
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
     * @param key short form of the writer; writers with the same key behave the same
     */
    record WriterProcess(List<Decision> decisions, List<ServerReply> replies, String key) {
        static WriterProcess start(List<Decision> decisions) {
            var key = new StringBuilder();
            decisions.forEach(each -> key.append(each.number())
                    .append(
                            each.result() instanceof DecisionResult.Allocated allocated
                                    ? "@" + allocated.claimVersion()
                                            + (allocated.allocation().equals(BAD) ? "b" : "g")
                                    : "")
                    .append(' '));
            return new WriterProcess(decisions, List.of(), key.toString());
        }

        WriterProcess addReply(ServerReply answer) {
            var more = new ArrayList<>(replies);
            more.add(answer);
            return new WriterProcess(decisions, List.copyOf(more), key + answer.key + ';');
        }

        WriterProcess restart() {
            return start(decisions);
        }

        WriterProcess completeDecision(List<Decision> more) {
            var rest = new ArrayList<>(decisions.subList(1, decisions.size()));
            rest.addAll(more);
            return start(List.copyOf(rest));
        }
    }

    /**
     * A request of a writer that has crashed, which the API server receives later.
     *
     * @param key short form of the request
     */
    record LateRequest(Request request, String key) {}

    /** Short form of a state; states with equal keys are the same. */
    record StateKey(String world, String first, String second, String lateRequest, boolean hasCrashed) {}

    /** @param hasCrashed whether a writer has crashed; at most one writer crashes */
    record ModelState(
            ServerState world, List<WriterProcess> writers, Optional<LateRequest> lateRequest, boolean hasCrashed) {
        StateKey key() {
            return new StateKey(
                    world.key(),
                    writers.get(0).key(),
                    writers.get(1).key(),
                    lateRequest.map(LateRequest::key).orElse(""),
                    hasCrashed);
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
}
