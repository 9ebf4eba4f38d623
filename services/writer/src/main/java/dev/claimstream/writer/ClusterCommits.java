package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import io.micronaut.context.annotation.Requires;
import jakarta.inject.Singleton;

/** Carries decisions out in a cluster: allocation and consumers in one write, for the claim and the version that was read. */
@Singleton
@Requires(beans = ClaimStatus.class)
@Requires(missingProperty = "claimstream.writer.folder")
final class ClusterCommits implements Commits {
    /** A claim that changes as often as this while it is written is left for later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatus status;

    ClusterCommits(ClaimStatus status) {
        this.status = status;
    }

    @Override
    public Outcome commit(Decision decision) {
        if (decision.verdict() instanceof Verdict.Waits || decision.verdict() instanceof Verdict.Released) {
            return Outcome.COMMITTED;
        }
        try {
            return write(decision);
        } catch (ClusterFault e) {
            return Outcome.failed(String.valueOf(e.getMessage()));
        }
    }

    private Outcome write(Decision decision) {
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Next next = Next.of(decision, status.read(decision.claim()));
            if (next instanceof Next.Write(ClaimStatus.Change change)) {
                next = Next.after(decision, status.write(change));
            }
            if (next instanceof Next.Done(Outcome outcome)) {
                return outcome;
            }
        }
        return Outcome.failed("claim %s changed %d times meanwhile".formatted(decision.claim(), WRITES_MAX));
    }
}
