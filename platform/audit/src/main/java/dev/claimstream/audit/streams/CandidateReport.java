package dev.claimstream.audit.streams;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What recorded decisions and those of a candidate have in common, and where they differ.
 *
 * @param from time of the first compared input
 * @param to time of the last input
 * @param inputs number of recorded inputs
 * @param outcomes number of claims by the result of their comparison
 * @param recorded waiting times of the recorded decisions
 * @param candidate waiting times of the candidate
 * @param differing the first claims that are not placed alike, or the last ones of a live comparison, at most {@link #DIFFERING_MAX}
 * @param timeline the use of the devices over time
 */
public record CandidateReport(
        Instant from,
        Instant to,
        long inputs,
        ClaimCounts outcomes,
        WaitFigures recorded,
        WaitFigures candidate,
        List<ClaimDifference> differing,
        List<UsageSample> timeline) {
    /** Number of claims that are listed. */
    public static final int DIFFERING_MAX = 1000;

    public CandidateReport {
        differing = List.copyOf(differing);
        timeline = List.copyOf(timeline);
    }

    /**
     * Numbers of claims.
     *
     * @param same allocated with the same devices
     * @param otherDevices allocated with other devices of the same node
     * @param otherNode allocated on another node
     * @param onlyRecorded allocated in the record, and never by the candidate
     * @param onlyCandidate allocated by the candidate, and never in the record
     * @param neither never allocated
     */
    public record ClaimCounts(
            long same, long otherDevices, long otherNode, long onlyRecorded, long onlyCandidate, long neither) {
        /** Number of claims. */
        public long claims() {
            return same + otherDevices + otherNode + onlyRecorded + onlyCandidate + neither;
        }

        /** Number of claims whose first allocation differs. */
        public long elsewhere() {
            return otherDevices + otherNode;
        }
    }

    /** The times from the first input of a claim to its first allocation, over the claims that were allocated. */
    public record WaitFigures(long claims, Duration mean, Duration median, Duration p99, Duration max) {}

    /** The first allocation of a claim. */
    public record FirstPlacement(String node, List<DeviceId> devices, Instant at) {
        public FirstPlacement {
            devices = List.copyOf(devices);
        }
    }

    /** A claim that is not placed alike. */
    public record ClaimDifference(
            ObjectKey claim, Instant since, Optional<FirstPlacement> recorded, Optional<FirstPlacement> candidate) {}

    /**
     * The use of the devices at one time.
     *
     * @param devices number of published devices
     * @param recorded number of allocated devices in the record
     * @param candidate number of allocated devices of the candidate
     * @param recordedFragmented number of free devices on nodes that are partly allocated, in the record
     * @param candidateFragmented the same of the candidate
     */
    public record UsageSample(
            Instant at,
            long devices,
            long recorded,
            long candidate,
            long recordedFragmented,
            long candidateFragmented) {}
}
