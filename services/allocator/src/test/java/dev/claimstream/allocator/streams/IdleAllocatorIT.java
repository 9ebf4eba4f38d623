package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Polls and commits of an allocator without work. A slow machine only lowers these counts. */
class IdleAllocatorIT {
    private static final int WINDOW_S = 3;

    /** A fixed {@code poll.ms} of 5 polls 200 times a second; {@link AdaptivePolling} polls once a second. */
    private static final long POLLS_MAX = 9;

    /** A needless timer makes its task commit in each commit interval: 30 times in this window. */
    private static final long COMMITS_MAX = 1;

    private final ClusterFixture fixture = new ClusterFixture("idle");
    private final ClusterFixture.WatchSource watch = fixture.watch(1);

    @TempDir
    private Path folder = Path.of("");

    private AllocatorHarness harness;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    IdleAllocatorIT() {}

    @BeforeEach
    void start() {
        harness = AllocatorHarness.create(folder, Map.of(), CellSettings.defaults());
    }

    @AfterEach
    void stop() {
        harness.close();
    }

    @Test
    void pollsAndCommitsRarelyWithoutWork() throws InterruptedException {
        try (var running = harness.start("state").awaitRunning()) {
            harness.publish(List.of(
                    watch.upsert(fixture.deviceClass()),
                    watch.upsert(fixture.node()),
                    watch.upsert(fixture.slice(1, "gpu-0")),
                    watch.upsert(fixture.claim("a", 1))));
            AllocatorHarness.await(() -> running.cells.lag().orElse(-1) == 0 && running.cells.commits() > 0);
            awaitLastCommit(running);
            long polls = running.cells.polls();
            long commits = running.cells.commits();
            TimeUnit.SECONDS.sleep(WINDOW_S);
            assertThat(polls).isPositive();
            assertThat(running.cells.polls() - polls)
                    .as("polls in %d s", WINDOW_S)
                    .isLessThan(POLLS_MAX);
            assertThat(running.cells.commits() - commits)
                    .as("commits in %d s", WINDOW_S)
                    .isLessThanOrEqualTo(COMMITS_MAX);
        }
    }

    /** Waits for the last commit of the inputs: the cell counts its devices one second after an input, and may be late. */
    private static void awaitLastCommit(AllocatorHarness.AllocatorInstance running) throws InterruptedException {
        for (int pause = 0; pause < 10; pause++) {
            long commits = running.cells.commits();
            TimeUnit.SECONDS.sleep(2);
            if (running.cells.commits() == commits) {
                return;
            }
        }
        throw new AssertionError("the idle allocator committed in each of ten pauses of two seconds");
    }
}
