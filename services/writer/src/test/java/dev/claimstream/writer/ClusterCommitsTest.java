package dev.claimstream.writer;

import static dev.claimstream.writer.Sample.P;
import static dev.claimstream.writer.Sample.Q;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClusterCommitsTest {
    /** One claim, and what happens to the next writes. */
    private static final class OneClaim implements ClaimStatus {
        private final Deque<Answer> next = new ArrayDeque<>();
        private Versioned claim = Sample.claim("u", Optional.empty());
        private int writes;
        private boolean silent;

        @Override
        public Optional<Versioned> read(ObjectKey key) {
            if (silent) {
                throw new ClusterFault("silence");
            }
            return Optional.of(claim);
        }

        @Override
        public Answer write(Change change) {
            writes++;
            Answer answer = next.isEmpty() ? new Answer.Written(claim.version() + 1) : next.remove();
            if (answer instanceof Answer.Written || answer instanceof Answer.Unknown) {
                ResourceClaim now = (ResourceClaim) claim.object();
                claim = new Versioned(
                        new ResourceClaim(now.meta(), now.spec(), change.allocation(), change.reservedFor()),
                        claim.version() + 1);
            }
            return answer;
        }
    }

    private final OneClaim status = new OneClaim();
    private final ClusterCommits commits = new ClusterCommits(status);

    @Test
    void aDecisionThatComesAgainWritesOnce() {
        assertThat(commits.commit(Sample.granted(1, "u", P))).isEqualTo(Outcome.COMMITTED);
        assertThat(commits.commit(Sample.granted(1, "u", P))).isEqualTo(Outcome.COMMITTED);
        assertThat(status.writes).isEqualTo(1);
        assertThat(commits.commit(Sample.granted(2, "u", P, Q))).isEqualTo(Outcome.COMMITTED);
        assertThat(((ResourceClaim) status.claim.object()).reservedFor()).containsExactly(P, Q);
    }

    @Test
    void aClaimThatChangedIsReadAgain() {
        status.next.add(new ClaimStatus.Answer.Changed());
        assertThat(commits.commit(Sample.granted(1, "u", P))).isEqualTo(Outcome.COMMITTED);
        assertThat(status.writes).isEqualTo(2);
    }

    @Test
    void aWriteOfWhichNothingIsKnownIsReadBeforeTheNextTry() {
        status.next.add(new ClaimStatus.Answer.Unknown("silence"));
        assertThat(commits.commit(Sample.granted(1, "u", P)).result()).isEqualTo(Result.FAILED);
        assertThat(commits.commit(Sample.granted(1, "u", P))).isEqualTo(Outcome.COMMITTED);
        assertThat(status.writes).isEqualTo(1);
    }

    @Test
    void aSilentClusterIsNoAnswer() {
        status.silent = true;
        assertThat(commits.commit(Sample.granted(1, "u", P))).isEqualTo(Outcome.failed("silence"));
        assertThat(commits.commit(Sample.released(1, "u"))).isEqualTo(Outcome.COMMITTED);
    }
}
