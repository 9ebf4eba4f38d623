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
class IdleIT {
    private static final int WINDOW_S = 3;

    /** A fixed {@code poll.ms} of 5 polls 200 times a second; {@link AdaptivePolling} polls 5 times a second. */
    private static final long POLLS_MAX = 60;

    /** A needless timer makes its task commit in each commit interval: 30 times in this window. */
    private static final long COMMITS_MAX = 1;

    private final Corner corner = new Corner("idle");
    private final Corner.Watch watch = corner.watch(1);

    @TempDir
    private Path folder = Path.of("");

    private Site site;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    IdleIT() {}

    @BeforeEach
    void start() {
        site = Site.in(folder, Map.of(), CellSettings.defaults());
    }

    @AfterEach
    void stop() {
        site.close();
    }

    @Test
    void pollsAndCommitsRarelyWithoutWork() throws InterruptedException {
        try (var running = site.start("state").awaitRunning()) {
            site.publish(List.of(
                    watch.seen(corner.deviceClass()),
                    watch.seen(corner.node()),
                    watch.seen(corner.slice(1, "gpu-0")),
                    watch.seen(corner.claim("a", 1))));
            Site.await(() -> running.cells.lag().orElse(-1) == 0 && running.cells.commits() > 0);
            TimeUnit.SECONDS.sleep(2); // the cell counts its devices one second after an input
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
}
