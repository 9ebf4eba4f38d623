package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Computes the holders of each device from inputs and decisions of all cells, in their order.
 *
 * <p>It shares no code with the history: it reads the objects before they are written, and remembers every claim.
 */
final class NaiveFold {
    private final List<RecordedInput> inputs = new ArrayList<>();
    private final List<HoldInterval> ended = new ArrayList<>();
    private final Map<String, ClaimHolding> holdings = new HashMap<>();
    private final Map<String, Long> versions = new HashMap<>();
    private final Set<String> deleted = new HashSet<>();

    /**
     * What a claim holds.
     *
     * @param number number of the last decision; 0 if the devices are known from the status of the claim only
     * @param isInStatus whether the status of the claim contains the devices
     */
    private record ClaimHolding(String claim, Set<DeviceId> devices, long number, boolean isInStatus, long from) {}

    private record RecordedInput(int cell, Instant at, Observation observation, List<Decision> decisions) {
        private static final Comparator<RecordedInput> ORDER =
                Comparator.comparing(RecordedInput::at).thenComparing(RecordedInput::cell);
    }

    /** Adds an input of a cell with the decisions that it led to. The inputs of one cell come in their order. */
    void add(int cell, Instant at, Observation observation, List<Decision> decisions) {
        boolean concernsClaim = observation instanceof Observation.ObjectUpserted(Stamp _, ClusterObject object)
                ? object instanceof ResourceClaim
                : observation instanceof Observation.ObjectDeleted
                        || observation instanceof Observation.DecisionRestored;
        if (concernsClaim || !decisions.isEmpty()) {
            inputs.add(new RecordedInput(cell, at, observation, List.copyOf(decisions)));
        }
    }

    private void fold(RecordedInput input) {
        long micros = ChronoUnit.MICROS.between(Instant.EPOCH, input.at());
        input.decisions().forEach(each -> decide(micros, each));
        observe(micros, input.observation());
    }

    private void observe(long micros, Observation observation) {
        switch (observation) {
            case Observation.ObjectUpserted upsert
            when upsert.object() instanceof ResourceClaim claim ->
                show(micros, upsert.stamp().version(), claim);
            case Observation.ObjectDeleted deletion
            when deletion.kind() == Kind.RESOURCE_CLAIM -> {
                deleted.add(deletion.uid());
                end(deletion.uid(), micros);
            }
            case Observation.DecisionRestored(Decision decision)
            when holding(decision.claimUid())
                    .filter(each -> each.number() >= decision.number())
                    .isEmpty() -> {
                if (decision.result() instanceof DecisionResult.Allocated) {
                    decide(micros, decision);
                }
            }
            default -> {} // changes no holder without a decision
        }
    }

    private Optional<ClaimHolding> holding(String uid) {
        return Optional.ofNullable(holdings.get(uid));
    }

    private void decide(long at, Decision decision) {
        String uid = decision.claimUid();
        if (decision.result() instanceof DecisionResult.Allocated allocated) {
            Set<DeviceId> devices = devices(allocated.allocation());
            String claim = decision.claim().toString();
            Optional<ClaimHolding> same =
                    holding(uid).filter(each -> each.devices().equals(devices));
            if (same.isEmpty()) {
                end(uid, at);
            }
            holdings.put(
                    uid,
                    new ClaimHolding(
                            claim,
                            devices,
                            decision.number(),
                            same.map(ClaimHolding::isInStatus).orElse(false),
                            same.map(ClaimHolding::from).orElse(at)));
        } else if (decision.result() instanceof DecisionResult.Released) {
            end(uid, at);
        }
    }

    private void show(long at, long version, ResourceClaim claim) {
        String uid = claim.meta().uid();
        if (deleted.contains(uid) || versions.getOrDefault(uid, -1L) > version) {
            return;
        }
        versions.put(uid, version);
        Optional<ClaimHolding> holding = holding(uid);
        if (claim.allocation().isEmpty()) {
            if (holding.filter(ClaimHolding::isInStatus).isPresent()) {
                end(uid, at);
            }
            return;
        }
        Set<DeviceId> devices = devices(claim.allocation().get());
        Optional<ClaimHolding> same = holding.filter(each -> each.devices().equals(devices));
        if (same.isEmpty()) {
            end(uid, at);
        }
        holdings.put(
                uid,
                new ClaimHolding(
                        claim.key().toString(),
                        devices,
                        same.map(ClaimHolding::number).orElse(0L),
                        true,
                        same.map(ClaimHolding::from).orElse(at)));
    }

    private static Set<DeviceId> devices(Allocation allocation) {
        Set<DeviceId> devices = new HashSet<>();
        allocation.results().forEach(each -> devices.add(each.device()));
        return devices;
    }

    private void end(String uid, long at) {
        holding(uid).ifPresent(holding -> addIntervals(holding, at, ended));
        holdings.remove(uid);
    }

    private static void addIntervals(ClaimHolding holding, long to, List<HoldInterval> intervals) {
        holding.devices()
                .forEach(each -> intervals.add(
                        new HoldInterval(each.toString(), holding.claim(), each.pool(), holding.from(), to)));
    }

    /** All intervals, in their order. Nothing can be added after it. */
    List<HoldInterval> intervals() {
        inputs.sort(RecordedInput.ORDER);
        inputs.forEach(this::fold);
        List<HoldInterval> all = new ArrayList<>(ended);
        holdings.values().forEach(each -> addIntervals(each, 0, all));
        all.sort(HoldInterval.ORDER);
        return all;
    }
}
