package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.writer.streams.ExplanationDispatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the scheduling gate of pods that fit no node for some time, so that node autoscalers see them (ADR 50).
 *
 * <p>Autoscalers ignore gated pods. Without the gate, kube-scheduler reports the pod as unschedulable. Claimstream still
 * allocates its claims. Safe for use by several threads.
 */
final class GateTimeout implements ExplanationDispatcher.ExplanationListener {
    private static final Logger LOG = LoggerFactory.getLogger(GateTimeout.class);

    private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

    private final ClaimStatusClient status;
    private final PodGates gates;
    private final Duration timeout;

    /** When the current reason of a pod began. */
    private final Map<ObjectKey, Instant> unfitSince = new HashMap<>();

    /** Why the gate of a due pod could not be removed, as it was logged last. */
    private final Map<ObjectKey, String> reportedFailures = new HashMap<>();

    private boolean isRestored;

    /** @param timeout time that a pod must have been pending for a reason that a new node can resolve */
    GateTimeout(ClaimStatusClient status, PodGates gates, Duration timeout) {
        this.status = status;
        this.gates = gates;
        this.timeout = timeout;
    }

    @Override
    public synchronized void beginRestore() {
        unfitSince.clear();
        reportedFailures.clear();
        isRestored = false;
    }

    @Override
    public synchronized void completeRestore() {
        isRestored = true;
    }

    /** Restarts the time only if the pod was not pending for such a reason before: reasons of this kind may alternate. */
    @Override
    public synchronized void onExplanation(String id, Instant since, Explanation explanation) {
        if (explanation.item().kind() != ItemId.ItemKind.POD) {
            return;
        }
        boolean isUnfit = explanation.detail() instanceof Explanation.ExplanationDetail.Pending pending
                && pending.diagnosis().reason().isResolvedByNode();
        if (isUnfit) {
            unfitSince.putIfAbsent(explanation.item().key(), since);
        } else {
            unfitSince.remove(explanation.item().key());
            reportedFailures.remove(explanation.item().key());
        }
    }

    @Override
    public synchronized void onItemDeleted(ItemId item) {
        if (item.kind() == ItemId.ItemKind.POD) {
            unfitSince.remove(item.key());
            reportedFailures.remove(item.key());
        }
    }

    /** Removes the gates that are due at this time. A pod whose gate stays is tried again later. */
    void removeDueGates(Instant now) {
        due(now).forEach((pod, since) -> {
            try {
                if (removeGate(pod)) {
                    forget(pod, since);
                } else {
                    retryLater(pod, since, now);
                }
            } catch (ClusterFault e) {
                reportFailure(pod, String.valueOf(e.getMessage()));
                retryLater(pod, since, now);
            }
        });
    }

    /** Logs a failure that an operator may have to end, once per pod and reason. */
    private synchronized void reportFailure(ObjectKey pod, String reason) {
        if (!reason.equals(reportedFailures.put(pod, reason))) {
            LOG.atWarn()
                    .addKeyValue("pod", pod)
                    .addKeyValue("why", reason)
                    .log("the gate of a pod that fits no node is not removed; retrying");
        }
    }

    private synchronized SortedMap<ObjectKey, Instant> due(Instant now) {
        var due = new TreeMap<ObjectKey, Instant>();
        if (isRestored) {
            unfitSince.forEach((pod, since) -> {
                if (!now.isBefore(since.plus(timeout))) {
                    due.put(pod, since);
                }
            });
        }
        return due;
    }

    /** A new pod of the same name has another time, and is kept. */
    private synchronized void forget(ObjectKey pod, Instant since) {
        unfitSince.remove(pod, since);
        reportedFailures.remove(pod);
    }

    private synchronized void retryLater(ObjectKey pod, Instant since, Instant now) {
        unfitSince.replace(pod, since, now.minus(timeout).plus(RETRY_DELAY));
    }

    /**
     * Removes the gate of one pod; returns whether nothing is left to do.
     *
     * <p>A pod with an allocated claim keeps its gate: the claim may be under deallocation, which requires gated pods
     * (ADR 38). A deallocation that begins later advances the version of the pod, so that the write conflicts.
     */
    private boolean removeGate(ObjectKey key) {
        var pod = gates.readPod(key).filter(GatedPod::isGated);
        if (pod.isEmpty()) {
            return true;
        }
        if (GateOpener.claims(pod.get()).anyMatch(name -> name.isEmpty() || isAllocated(key, name.get()))) {
            return false;
        }
        return switch (gates.removeGate(pod.get(), Optional.empty())) {
            case WriteResult.Success _ -> {
                LOG.atInfo()
                        .addKeyValue("pod", key)
                        .addKeyValue("after", timeout)
                        .log("scheduling gate removed: no node fits");
                yield true;
            }
            case WriteResult.SuccessWithDifferences(long _, var differences) ->
                failed(key, UnpersistedField.describe(differences));
            case WriteResult.Conflict _, WriteResult.NotFound _ -> false; // the next attempt reads the pod again
            case WriteResult.Rejected(String reason) -> failed(key, reason);
            case WriteResult.Forbidden(String reason, String remedy) -> failed(key, reason + ": " + remedy);
            case WriteResult.TooManyRequests(String reason, var _) -> failed(key, reason);
            case WriteResult.Unknown(String reason) -> failed(key, reason);
        };
    }

    private boolean failed(ObjectKey pod, String reason) {
        reportFailure(pod, reason);
        return false;
    }

    private boolean isAllocated(ObjectKey pod, String claim) {
        return status.read(new ObjectKey(pod.namespace(), claim))
                .filter(found -> ((ResourceClaim) found.object()).allocation().isEmpty())
                .isEmpty();
    }
}
