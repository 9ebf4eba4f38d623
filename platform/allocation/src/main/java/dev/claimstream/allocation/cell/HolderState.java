package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Describes how a claim uses its device, for messages: {@code used by pod training/llama-0}. */
final class HolderState {
    private final State state;

    private HolderState(State state) {
        this.state = state;
    }

    /** The description of a holder in a few words. */
    static String of(State state, DeviceUsage.UsageEntry holder) {
        return new HolderState(state).text(holder);
    }

    private String text(DeviceUsage.UsageEntry holder) {
        if (ClaimDevices.isQuarantine(holder.uid())) {
            return state.row(ClaimRow.QuarantineRow.key(ClaimDevices.claimUid(holder.uid())))
                    .map(row -> "pod deleted, quarantine until " + row.until())
                    .orElse("quarantine");
        }
        Optional<ResourceClaim> claim =
                state.claim(holder.claim()).filter(each -> each.meta().uid().equals(holder.uid()));
        return claim.map(this::text).orElse("claim deleted, release not confirmed");
    }

    private String text(ResourceClaim claim) {
        if (claim.allocation().isEmpty() && state.isRevoked(claim)) {
            return "allocation revoked, release not confirmed";
        }
        String used = usedBy(claim, ClaimReservations.of(state, claim));
        return claim.meta().deleting() ? used + ", claim is being deleted" : used;
    }

    private String usedBy(ResourceClaim claim, List<ClaimConsumer> consumers) {
        if (consumers.isEmpty()) {
            return "used by no pod";
        }
        List<String> active = new ArrayList<>();
        List<String> ended = new ArrayList<>();
        for (ClaimConsumer consumer : consumers) {
            var key = new ObjectKey(claim.meta().namespace(), consumer.name());
            String name = "%s %s".formatted(kind(consumer), key);
            end(consumer, key)
                    .ifPresentOrElse(
                            end -> ended.add("%s: %s".formatted(name, end)),
                            () -> active.add(isTerminating(consumer, key) ? name + ": terminating" : name));
        }
        List<String> first = active.isEmpty() ? ended : active;
        int more = consumers.size() - 1;
        return "used by " + first.getFirst() + (more == 0 ? "" : " and %d more".formatted(more));
    }

    private static String kind(ClaimConsumer consumer) {
        if (consumer.isPod()) {
            return "pod";
        }
        return consumer.isPodGroup() ? "pod group" : consumer.resource();
    }

    /** Why a consumer no longer uses the claim; absent if it may still use it. */
    private Optional<String> end(ClaimConsumer consumer, ObjectKey key) {
        if (consumer.isPodGroup()) {
            return state.podGroup(key)
                            .filter(group -> group.meta().uid().equals(consumer.uid()))
                            .isPresent()
                    ? Optional.empty()
                    : Optional.of("not found");
        }
        if (!consumer.isPod()) {
            return Optional.empty();
        }
        Optional<Pod> pod = pod(consumer, key);
        return pod.isEmpty() ? Optional.of("not found") : pod.flatMap(HolderState::end);
    }

    /** Whether the pod is being deleted and its containers may still run. */
    private boolean isTerminating(ClaimConsumer consumer, ObjectKey key) {
        return consumer.isPod()
                && pod(consumer, key).filter(pod -> pod.meta().deleting()).isPresent();
    }

    private Optional<Pod> pod(ClaimConsumer consumer, ObjectKey key) {
        return state.pod(key).filter(each -> each.meta().uid().equals(consumer.uid()));
    }

    private static Optional<String> end(Pod pod) {
        if (!pod.phase().isEmpty()) {
            return Optional.of(pod.phase());
        }
        return pod.finished() ? Optional.of("deleted before it was bound") : Optional.empty();
    }
}
