package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Span;
import dev.claimstream.observability.Traces;
import dev.claimstream.observability.WriterMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntSupplier;

/** Counts decisions by outcome and retries, times commits, and sends the span of each decision. */
final class WriterMeters {
    /** The statuses of a completed decision; the others are retried. */
    private static final Set<DecisionCommitter.CommitStatus> COMPLETED = EnumSet.complementOf(
            EnumSet.of(DecisionCommitter.CommitStatus.FAILED, DecisionCommitter.CommitStatus.OVERLOADED));

    private final Meters meters;
    private final Traces traces;

    /** @param inFlight number of decisions that are read and not completed */
    WriterMeters(Meters meters, Traces traces, IntSupplier inFlight) {
        this.meters = meters;
        this.traces = traces;
        meters.showOne(WriterMeter.WRITER_PENDING_DECISIONS, inFlight::getAsInt);
        meters.create(WriterMeter.WRITER_RETRIES);
        meters.create(WriterMeter.COMMIT);
        COMPLETED.forEach(status ->
                meters.create(WriterMeter.WRITER_DECISIONS, new DecisionCommitter.CommitResult(status, "").text()));
    }

    /** Returns a listener that counts retries, and passes everything on. */
    PerClaimExecutor.CommitListener listener(EventReporter eventReporter) {
        return new PerClaimExecutor.CommitListener() {
            @Override
            public void onRetry(Decision decision, DecisionCommitter.CommitResult outcome) {
                meters.count(WriterMeter.WRITER_RETRIES);
                eventReporter.onRetry(decision, outcome);
            }

            @Override
            public void onEnd(Decision decision) {
                eventReporter.onEnd(decision);
            }
        };
    }

    /**
     * Counts a completed decision.
     *
     * @param at timestamp of the input that led to the decision
     * @param readAt when the decision was read
     */
    void recordEnd(PerClaimExecutor.CompletedCommit<?> completed, Instant at, Instant readAt, Instant now) {
        Decision decision = completed.decision();
        DecisionCommitter.CommitResult result = completed.outcome();
        if (traces.isOn()) {
            traces.add(new Span(
                    decision.claimUid(),
                    Span.SpanStep.COMMIT,
                    decision.number(),
                    Optional.of(Span.SpanStep.DECIDE),
                    readAt,
                    now,
                    new TreeMap<>(Map.of("claim", decision.claim().toString(), "outcome", result.text()))));
        }
        meters.count(WriterMeter.WRITER_DECISIONS, result.text());
        if (decision.result() instanceof Decision.DecisionResult.Allocated
                && result.status() == DecisionCommitter.CommitStatus.COMMITTED) {
            meters.record(WriterMeter.COMMIT, Duration.between(at, now));
        }
    }
}
