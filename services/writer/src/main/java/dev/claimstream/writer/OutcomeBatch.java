package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import dev.claimstream.writer.PerClaimExecutor.CompletedCommit;
import dev.claimstream.writer.streams.OutcomePublisher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The completed commits whose outcomes are not published yet. Not thread-safe.
 *
 * <p>Committed outcomes free no device and trigger no retry, so they wait for a batch: a single record is expensive.
 * Every other outcome is due at once.
 *
 * @param <P> position of a decision in its topic
 */
final class OutcomeBatch<P> {
    private static final Duration WINDOW = Duration.ofMillis(50);

    private final List<CompletedCommit<P>> commits = new ArrayList<>();
    private long startNanos;

    /** Adds a commit whose outcome is due at once, as that of a superseded decision. */
    void add(CompletedCommit<P> commit) {
        commits.add(commit);
    }

    /** Adds completed commits. The window of an empty batch starts now. */
    void addAll(List<CompletedCommit<P>> completed) {
        if (commits.isEmpty()) {
            startNanos = System.nanoTime();
        }
        commits.addAll(completed);
    }

    /**
     * Returns whether the batch must be published now.
     *
     * @param isClosing whether the writer stops, so that there is no later batch
     */
    boolean isDue(boolean isClosing) {
        return !commits.isEmpty()
                && (isClosing
                        || System.nanoTime() - startNanos >= WINDOW.toNanos()
                        || commits.stream().anyMatch(each -> each.outcome().status() != CommitStatus.COMMITTED));
    }

    /** Returns the outcomes to publish. A pending decision has no outcome. */
    List<OutcomePublisher.OutcomeReport> reports(Instant now) {
        return commits.stream()
                .filter(each -> !(each.decision().result() instanceof Decision.DecisionResult.Pending))
                .map(each -> new OutcomePublisher.OutcomeReport(
                        each.decision().claimUid(),
                        each.decision().number(),
                        each.outcome().text(),
                        each.outcome().message(),
                        each.outcome().claimVersion(),
                        each.outcome().auditId(),
                        now))
                .toList();
    }

    /** Removes all commits after their outcomes are published. */
    void drainTo(Consumer<CompletedCommit<P>> published) {
        commits.forEach(published);
        commits.clear();
    }
}
