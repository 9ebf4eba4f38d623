package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Churn;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Kills {@code claimstream up} with one or two cells repeatedly while claims are created and deleted. */
@Tag("part-3")
@Timeout(1800)
class KillIT {
    private static final String READY = "Ctrl-C ends it";
    private static final int KILLS = Integer.getInteger("kills", 5);
    private static final int CLAIMS = 100 * KILLS;
    private static final int DELETIONS_MIN = CLAIMS / 4;

    /**
     * Average number of requests between two kills. A request creates or deletes ten claims; a whole campaign has 2,000
     * of each.
     */
    private static final int REQUESTS_PER_KILL = 20;

    private static final int IN_THE_MIDDLE_MS = 60;
    private static final int START_MS = 5000;

    private final long seed = Long.getLong("seed", System.nanoTime() & 0xffff);
    private final int cells = Integer.getInteger("cells", 1 + (int) (seed % 2));
    private final AtomicInteger kills = new AtomicInteger();
    private final List<Integer> createdAtKill = new CopyOnWriteArrayList<>();
    private final AtomicInteger deletedAtKill = new AtomicInteger();

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    private Path data() {
        return folder.resolve("data");
    }

    @Test
    void decidesEveryClaimOnceWhenUpIsKilled() throws IOException, InterruptedException {
        System.err.printf("KillIT: seed %d, %d cells (-Dseed=%d -Dcells=%d repeats it)%n", seed, cells, seed, cells);
        var users = new Users(folder, data(), seed);
        try (var killer = new ProcessKiller(users)) {
            users.apply(Churn.cluster());
            while (users.created() < CLAIMS || kills.get() < KILLS) {
                users.createAndDelete();
            }
            killer.awaitLastStart();
            assertKilledInTheMiddle(users);
            users.finish();
        }
    }

    private void assertKilledInTheMiddle(Users users) {
        System.err.printf(
                "KillIT: %d claims made, %d of them deleted again, killed when so many were made: %s%n",
                users.created(), users.deleted(), createdAtKill);
        assertThat(users.created()).isGreaterThanOrEqualTo(CLAIMS);
        assertThat(createdAtKill).hasSize(KILLS);
        assertThat(createdAtKill.stream().distinct().count()).isGreaterThanOrEqualTo(KILLS / 2);
        assertThat(deletedAtKill.get()).as("deleted before the last kill").isGreaterThanOrEqualTo(DELETIONS_MIN);
    }

    // ---- the killed process

    /** Starts {@code up}, kills it at random moments, also during its start, and restarts it. */
    private final class ProcessKiller implements AutoCloseable {
        private final Random random = new Random(seed + 1);
        private final CountDownLatch last = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private final Users users;
        private final Thread thread;

        ProcessKiller(Users users) {
            this.users = users;
            thread = Thread.ofPlatform().name("killer").start(this::run);
        }

        private void run() {
            try {
                boolean isAfterWork = true;
                for (int i = 0; i < KILLS; i++) {
                    try (Program up = up()) {
                        boolean isLast = i == KILLS - 1;
                        // never twice in a row during the start
                        isAfterWork = isLast || !isAfterWork || random.nextInt(4) > 0;
                        if (isAfterWork) {
                            up.awaitOut(READY, Users.PATIENCE);
                            users.awaitAnswers(random.nextInt(2 * REQUESTS_PER_KILL));
                            users.awaitCreated(createdAtKill.isEmpty() ? 0 : createdAtKill.getLast());
                            users.await("deletions", () -> !isLast || users.deleted() >= DELETIONS_MIN);
                            Users.pause(Duration.ofMillis(random.nextInt(IN_THE_MIDDLE_MS)));
                        } else {
                            Users.pause(Duration.ofMillis(random.nextInt(START_MS)));
                        }
                        assertThat(up.err()).isEmpty();
                        up.kill();
                        up.awaitEnd();
                        createdAtKill.add(users.created());
                        deletedAtKill.set(users.deleted());
                    }
                    kills.incrementAndGet();
                }
                try (Program up = up()) {
                    up.awaitOut(READY, Users.PATIENCE);
                    last.countDown();
                    closed.await();
                    up.interrupt();
                    assertThat(up.awaitEnd()).isZero();
                }
            } catch (IOException | InterruptedException | AssertionError e) {
                users.addFailure(e);
            }
        }

        private Program up() throws IOException {
            return Program.start(folder, "up", "--data", data().toString(), "--cells", Integer.toString(cells));
        }

        void awaitLastStart() {
            users.await("last start", () -> last.getCount() == 0);
        }

        @Override
        public void close() {
            closed.countDown();
            if (last.getCount() > 0) {
                thread.interrupt();
            }
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            users.assertNoFailures();
        }
    }
}
