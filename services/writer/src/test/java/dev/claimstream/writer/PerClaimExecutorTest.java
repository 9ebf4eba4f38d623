package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Order, retries and concurrency of commits for several claims. */
final class PerClaimExecutorTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final PerClaimExecutor.CommitListener NO_OP_LISTENER = (_, _) -> {};

    private final ConcurrentLinkedQueue<String> committed = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isClaimAFailing = new AtomicBoolean();

    private static boolean isAssigned(Long place) {
        return place >= 0;
    }

    private CommitResult commit(Decision decision) {
        if (isClaimAFailing.get() && decision.claimUid().equals("a")) {
            return CommitResult.failed("silence");
        }
        committed.add(decision.claimUid() + decision.number());
        return CommitResult.COMMITTED;
    }

    private static List<String> awaitCompleted(PerClaimExecutor<Long> lanes, int count) {
        List<String> places = new ArrayList<>();
        long end = System.nanoTime() + LIMIT.toNanos();
        while (places.size() < count && System.nanoTime() < end) {
            lanes.drainCompleted().forEach(each -> places.add(each.decision().claimUid() + each.position()));
            LockSupport.parkNanos(1_000_000);
        }
        return places;
    }

    @Test
    void commitsDecisionsOfClaimInOrder() {
        try (var lanes =
                new PerClaimExecutor<Long>(this::commit, 4, PerClaimExecutorTest::isAssigned, NO_OP_LISTENER)) {
            for (long number = 0; number < 100; number++) {
                lanes.add(number, DecisionSamples.allocatedDecision(number, "a"));
                lanes.add(number, DecisionSamples.allocatedDecision(number, "b"));
            }
            assertThat(awaitCompleted(lanes, 200)).hasSize(200);
        }
        assertThat(committed.stream().filter(each -> each.startsWith("a")).toList())
                .isEqualTo(java.util.stream.LongStream.range(0, 100)
                        .mapToObj(number -> "a" + number)
                        .toList());
    }

    @Test
    void failingClaimRetriesWithoutBlockingOthers() {
        isClaimAFailing.set(true);
        try (var lanes =
                new PerClaimExecutor<Long>(this::commit, 2, PerClaimExecutorTest::isAssigned, NO_OP_LISTENER)) {
            lanes.add(1L, DecisionSamples.allocatedDecision(1, "a"));
            lanes.add(2L, DecisionSamples.allocatedDecision(2, "a"));
            for (long number = 3; number < 23; number++) {
                lanes.add(number, DecisionSamples.allocatedDecision(number, "b" + number));
            }
            assertThat(awaitCompleted(lanes, 20)).hasSize(20).noneMatch(each -> each.startsWith("a"));
            isClaimAFailing.set(false);
            assertThat(awaitCompleted(lanes, 2)).containsExactly("a1", "a2");
        }
    }

    @Test
    void dropsDecisionsOfRevokedPartition() {
        isClaimAFailing.set(true);
        var mine = new AtomicBoolean(true);
        try (var lanes =
                new PerClaimExecutor<Long>(this::commit, 2, place -> mine.get() || place > 2, NO_OP_LISTENER)) {
            lanes.add(1L, DecisionSamples.allocatedDecision(1, "a"));
            lanes.add(2L, DecisionSamples.allocatedDecision(2, "a"));
            lanes.add(3L, DecisionSamples.allocatedDecision(3, "a"));
            await(() -> lanes.retryReason().isPresent());
            mine.set(false);
            isClaimAFailing.set(false);
            assertThat(awaitCompleted(lanes, 1)).containsExactly("a3");
            assertThat(lanes.retryReason()).isEmpty();
        }
        assertThat(committed).containsExactly("a3");
    }

    private static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void delaysOnlyClaimWithRetryAfter() {
        Duration named = Duration.ofMillis(800);
        var tries = new ConcurrentLinkedQueue<Long>();
        DecisionCommitter commits = decision -> {
            if (decision.claimUid().equals("a")) {
                tries.add(System.nanoTime());
            }
            return decision.claimUid().equals("a") && tries.size() == 1
                    ? CommitResult.overloaded("later", named)
                    : commit(decision);
        };
        try (var lanes = new PerClaimExecutor<Long>(commits, 2, PerClaimExecutorTest::isAssigned, NO_OP_LISTENER)) {
            lanes.add(1L, DecisionSamples.allocatedDecision(1, "a"));
            lanes.add(2L, DecisionSamples.allocatedDecision(2, "b"));
            assertThat(awaitCompleted(lanes, 2)).containsExactly("b2", "a1");
        }
        assertThat(tries).hasSize(2);
        long first = tries.remove();
        assertThat(Duration.ofNanos(tries.remove() - first)).isGreaterThanOrEqualTo(named);
    }

    @Test
    void rethrowsBugToCaller() {
        DecisionCommitter broken = decision -> {
            throw new IllegalStateException("a bug");
        };
        try (var lanes = new PerClaimExecutor<Long>(broken, 1, PerClaimExecutorTest::isAssigned, NO_OP_LISTENER)) {
            lanes.add(1L, DecisionSamples.allocatedDecision(1, "a"));
            assertThatThrownBy(() -> awaitCompleted(lanes, 1)).hasMessage("a bug");
        }
    }

    @Test
    void lowersLimitWhenClusterIsOverloaded() {
        var overloaded = new AtomicBoolean(true);
        DecisionCommitter commits =
                decision -> overloaded.get() ? CommitResult.overloaded("too much", Duration.ZERO) : commit(decision);
        try (var lanes = new PerClaimExecutor<Long>(commits, 32, PerClaimExecutorTest::isAssigned, NO_OP_LISTENER)) {
            for (long number = 0; number < 200; number++) {
                lanes.add(number, DecisionSamples.allocatedDecision(number, "c" + number));
            }
            long end = System.nanoTime() + LIMIT.toNanos();
            while (lanes.limit() > 1 && System.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(lanes.limit()).isEqualTo(1);
            overloaded.set(false);
            assertThat(awaitCompleted(lanes, 200)).hasSize(200);
            assertThat(lanes.limit()).isGreaterThan(4);
        }
    }

    @Test
    void notifiesListenerOfRetryAndEnd() {
        isClaimAFailing.set(true);
        var course = new ConcurrentLinkedQueue<String>();
        var listening = new PerClaimExecutor.CommitListener() {
            @Override
            public void onRetry(Decision decision, CommitResult outcome) {
                course.add("%s%d %s".formatted(decision.claimUid(), decision.number(), outcome.message()));
                isClaimAFailing.set(false);
            }

            @Override
            public void onEnd(Decision decision) {
                course.add("%s%d ended".formatted(decision.claimUid(), decision.number()));
            }
        };
        try (var lanes = new PerClaimExecutor<Long>(this::commit, 1, PerClaimExecutorTest::isAssigned, listening)) {
            lanes.add(1L, DecisionSamples.allocatedDecision(1, "a"));
            assertThat(awaitCompleted(lanes, 1)).containsExactly("a1");
        }
        assertThat(course).containsExactly("a1 silence", "a1 ended");
    }
}
