package dev.claimstream.cli.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how the threads of a start end: after a failure, on request, and if closing or starting fails. */
@Timeout(60)
final class StandaloneThreadsTest {
    private final CountDownLatch never = new CountDownLatch(1);

    @Test
    void closesWhenDescendantThreadsHaveEnded() throws InterruptedException {
        var threads = new StandaloneThreads();
        var end = new CountDownLatch(1);
        Thread grandchild = threads.start(() -> startThread(end));
        threads.closeBroken(() -> {}, end::countDown, never);
        assertThat(end.getCount()).isZero();
        assertThat(grandchild.isAlive()).isFalse();
    }

    @Test
    void doesNotWaitForThreadsWhenStopped() throws InterruptedException {
        var threads = new StandaloneThreads();
        var end = new CountDownLatch(1);
        Thread left = threads.start(() -> startThread(end));
        threads.closeBroken(() -> {}, () -> {}, new CountDownLatch(0));
        assertThat(left.isAlive()).isTrue();
        end.countDown();
    }

    @Test
    void endsWhenCloseFails() throws InterruptedException {
        var threads = new StandaloneThreads();
        threads.closeBroken(
                () -> {
                    throw new IllegalStateException("not now");
                },
                () -> {},
                never);
        assertThat(never.getCount()).isOne();
    }

    @Test
    void rethrowsStartFailure() {
        var thrown = new IllegalStateException("no");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> new StandaloneThreads().start(() -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }

    private static Thread startThread(CountDownLatch end) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
