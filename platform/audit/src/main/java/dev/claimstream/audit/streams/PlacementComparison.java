package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.audit.streams.CandidateReport.ClaimCounts;
import dev.claimstream.audit.streams.CandidateReport.ClaimDifference;
import dev.claimstream.audit.streams.CandidateReport.FirstPlacement;
import dev.claimstream.audit.streams.CandidateReport.UsageSample;
import dev.claimstream.audit.streams.CandidateReport.WaitFigures;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares the first allocation of each claim, and samples the use of the devices. A claim is compared when it is deleted, or at the end. */
final class PlacementComparison {
    private static final int SAMPLES_MAX = 48;
    private static final Duration FIRST_INTERVAL = Duration.ofSeconds(1);
    private static final int LIVE_PENDING_TIMES_MAX = 100_000;

    /** What is kept of the compared claims. */
    enum ComparisonSpan {
        /** All waiting times, and the first claims that differ. */
        WHOLE,
        /** Of a comparison without an end: the last waiting times, and the last claims that differ. */
        LIVE
    }

    private final ComparisonSpan span;
    private final Map<String, ClaimCase> claims = new LinkedHashMap<>();
    private final DeviceOccupancy recordedUse = new DeviceOccupancy();
    private final DeviceOccupancy candidateUse = new DeviceOccupancy();
    private final Deque<ClaimDifference> differing = new ArrayDeque<>();
    private final List<UsageSample> samples = new ArrayList<>();
    private final Deque<Duration> recordedPendingTimes = new ArrayDeque<>();
    private final Deque<Duration> candidatePendingTimes = new ArrayDeque<>();
    private Duration interval = FIRST_INTERVAL;
    private Optional<Instant> nextSample = Optional.empty();
    private boolean hasBegun;
    private long same;
    private long otherDevices;
    private long otherNode;
    private long onlyRecorded;
    private long onlyCandidate;
    private long neither;

    PlacementComparison(ComparisonSpan span) {
        this.span = span;
    }

    /** A claim with the first allocation of each side. */
    private static final class ClaimCase {
        private final ObjectKey key;
        private final Instant since;
        private Optional<FirstPlacement> recorded = Optional.empty();
        private Optional<FirstPlacement> candidate = Optional.empty();

        private ClaimCase(ObjectKey key, Instant since) {
            this.key = key;
            this.since = since;
        }
    }

    /** Begins to compare: claims that exist already are left out. */
    void begin(Instant now) {
        hasBegun = true;
        claims.clear();
        nextSample = Optional.of(now);
    }

    /** Notes claims and devices of a recorded observation. */
    void observe(Observation recorded, Instant now) {
        switch (recorded) {
            case Observation.ObjectUpserted(var _, ResourceClaim claim) -> {
                if (hasBegun && claim.allocation().isEmpty()) {
                    claims.putIfAbsent(claim.meta().uid(), new ClaimCase(claim.key(), now));
                }
                if (claim.allocation().isEmpty()) {
                    recordedUse.release(claim.meta().uid());
                }
            }
            case Observation.ObjectUpserted(var _, ResourceSlice slice) -> publish(slice);
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.RESOURCE_CLAIM -> {
                recordedUse.release(deleted.uid());
                Optional.ofNullable(claims.remove(deleted.uid())).ifPresent(this::compare);
            }
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.RESOURCE_SLICE -> {
                recordedUse.withdraw(deleted.key().name());
                candidateUse.withdraw(deleted.key().name());
            }
            default -> {} // neither a claim nor devices
        }
    }

    private void publish(ResourceSlice slice) {
        String node = slice.scope() instanceof NodeScope.SingleNode(String name) ? name : "";
        List<DeviceId> devices = slice.devices().stream()
                .map(device -> new DeviceId(slice.driver(), slice.pool(), device.name()))
                .toList();
        recordedUse.publish(slice.meta().name(), node, devices);
        candidateUse.publish(slice.meta().name(), node, devices);
    }

    void recorded(Decision decision, Instant now) {
        apply(decision, recordedUse);
        placement(decision, now).ifPresent(placed -> {
            ClaimCase each = claims.get(decision.claimUid());
            if (each != null && each.recorded.isEmpty()) {
                each.recorded = Optional.of(placed);
            }
        });
    }

    void candidate(Decision decision, Instant now) {
        apply(decision, candidateUse);
        placement(decision, now).ifPresent(placed -> {
            ClaimCase each = claims.get(decision.claimUid());
            if (each != null && each.candidate.isEmpty()) {
                each.candidate = Optional.of(placed);
            }
        });
    }

    void candidateReleased(String uid) {
        candidateUse.release(uid);
    }

    private static void apply(Decision decision, DeviceOccupancy use) {
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> use.allocate(decision.claimUid(), devices(allocated));
            case Decision.DecisionResult.Released _ -> use.release(decision.claimUid());
            case Decision.DecisionResult.Pending _,
                    Decision.DecisionResult.Revoked _,
                    Decision.DecisionResult.Deallocation _ -> {} // the devices are not free yet
        }
    }

    private static Optional<FirstPlacement> placement(Decision decision, Instant now) {
        return decision.result() instanceof Decision.DecisionResult.Allocated allocated
                ? Optional.of(new FirstPlacement(allocated.node(), devices(allocated), now))
                : Optional.empty();
    }

    private static List<DeviceId> devices(Decision.DecisionResult.Allocated allocated) {
        return allocated.allocation().results().stream()
                .map(DeviceResult::device)
                .sorted()
                .toList();
    }

    /** Samples the use if a sample is due. With many samples, every second one is dropped. */
    void sampleAt(Instant now) {
        if (nextSample.filter(due -> !due.isAfter(now)).isPresent()) {
            samples.add(sample(now));
            if (samples.size() >= 2 * SAMPLES_MAX) {
                List<UsageSample> kept = new ArrayList<>();
                for (int i = 0; i < samples.size(); i += 2) {
                    kept.add(samples.get(i));
                }
                samples.clear();
                samples.addAll(kept);
                interval = interval.multipliedBy(2);
            }
            nextSample = Optional.of(now.plus(interval));
        }
    }

    private UsageSample sample(Instant now) {
        DeviceOccupancy.DeviceUse recorded = recordedUse.use();
        DeviceOccupancy.DeviceUse candidate = candidateUse.use();
        return new UsageSample(
                now,
                recorded.devices(),
                recorded.allocated(),
                candidate.allocated(),
                recorded.fragmented(),
                candidate.fragmented());
    }

    private void compare(ClaimCase each) {
        each.recorded.ifPresent(placed -> add(recordedPendingTimes, Duration.between(each.since, placed.at())));
        each.candidate.ifPresent(placed -> add(candidatePendingTimes, Duration.between(each.since, placed.at())));
        if (each.recorded.isEmpty() && each.candidate.isEmpty()) {
            neither++;
        } else if (count(each)) {
            same++;
        } else {
            if (span == ComparisonSpan.LIVE && differing.size() == CandidateReport.DIFFERING_MAX) {
                differing.remove();
            }
            if (differing.size() < CandidateReport.DIFFERING_MAX) {
                differing.add(new ClaimDifference(each.key, each.since, each.recorded, each.candidate));
            }
        }
    }

    private void add(Deque<Duration> pendingTimes, Duration pendingTime) {
        if (span == ComparisonSpan.LIVE && pendingTimes.size() == LIVE_PENDING_TIMES_MAX) {
            pendingTimes.remove();
        }
        pendingTimes.add(pendingTime);
    }

    /** Counts a claim that a side has allocated; returns whether both sides have allocated it alike. */
    private boolean count(ClaimCase each) {
        if (each.candidate.isEmpty()) {
            onlyRecorded++;
            return false;
        }
        if (each.recorded.isEmpty()) {
            onlyCandidate++;
            return false;
        }
        FirstPlacement one = each.recorded.get();
        FirstPlacement other = each.candidate.get();
        if (one.devices().equals(other.devices())) {
            return true;
        }
        if (one.node().equals(other.node())) {
            otherDevices++;
        } else {
            otherNode++;
        }
        return false;
    }

    /** The comparison with the claims that still exist, which later inputs may change. */
    CandidateReport report(Instant from, Instant to, long inputs) {
        PlacementComparison all = copy();
        claims.values().forEach(all::compare);
        if (hasBegun) {
            all.samples.add(sample(to));
        }
        return new CandidateReport(
                from,
                to,
                inputs,
                new ClaimCounts(
                        all.same, all.otherDevices, all.otherNode, all.onlyRecorded, all.onlyCandidate, all.neither),
                figures(all.recordedPendingTimes),
                figures(all.candidatePendingTimes),
                List.copyOf(all.differing),
                all.samples);
    }

    private PlacementComparison copy() {
        var copy = new PlacementComparison(span);
        copy.recordedPendingTimes.addAll(recordedPendingTimes);
        copy.candidatePendingTimes.addAll(candidatePendingTimes);
        copy.differing.addAll(differing);
        copy.samples.addAll(samples);
        copy.same = same;
        copy.otherDevices = otherDevices;
        copy.otherNode = otherNode;
        copy.onlyRecorded = onlyRecorded;
        copy.onlyCandidate = onlyCandidate;
        copy.neither = neither;
        return copy;
    }

    private static WaitFigures figures(Deque<Duration> pendingTimes) {
        if (pendingTimes.isEmpty()) {
            return new WaitFigures(0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);
        }
        List<Duration> sorted = pendingTimes.stream().sorted().toList();
        Duration sum = sorted.stream().reduce(Duration.ZERO, Duration::plus);
        return new WaitFigures(
                sorted.size(),
                sum.dividedBy(sorted.size()),
                sorted.get((sorted.size() - 1) / 2),
                sorted.get((int) Math.ceil(sorted.size() * 0.99) - 1),
                sorted.getLast());
    }
}
