package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.BrokerProgram;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Churn;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills two allocators with two cells, the cluster and the broker in turn, also during a start. Each is a separate
 * process; the cluster includes watcher and writer. At the end an allocator is frozen until the other one has its
 * cells.
 */
@Tag("part-2")
@Timeout(1800)
class KillPartsIT {
    private static final int CELLS = 2;
    private static final int KILLS = Integer.getInteger("kills", 5);
    private static final int CLAIMS_PER_KILL = 100;
    private static final Duration SHORTLY = Duration.ofSeconds(2);

    /** Longer than the transaction timeout and the session timeout of the consumer group. */
    private static final Duration FROZEN = Duration.ofSeconds(15);

    private final long seed = Long.getLong("seed", System.nanoTime() & 0xffff);
    private final Random random = new Random(seed + 1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    private final ProcessSupervisor services = new ProcessSupervisor();
    private final List<Integer> createdAtKill = new CopyOnWriteArrayList<>();
    private final AtomicInteger deletedAtKill = new AtomicInteger();

    @Test
    void decidesEveryClaimOnceWhenServicesAreKilled() throws IOException, InterruptedException {
        System.err.printf("KillPartsIT: seed %d (-Dseed=%d repeats it)%n", seed, seed);
        var users = new Users(folder, folder.resolve("cluster"), seed);
        try (services) {
            startAll();
            users.apply(Churn.cluster());
            List<String> names = services.names();
            for (int i = 0; i < KILLS; i++) {
                String part = names.get(i % names.size());
                long killAt = System.nanoTime() + random.nextLong(SHORTLY.toNanos());
                workDuring(users, () -> kill(users, part, killAt));
                services.restartEnded();
            }
            assertKilledInTheMiddle(users);
            workDuring(users, () -> freeze(users, "allocator-0"));
            services.restartEnded();
            users.finish();
        }
    }

    /** Lets users create and delete claims until the action is complete and enough claims are created. */
    private static void workDuring(Users users, Runnable what) throws InterruptedException {
        int until = users.created() + CLAIMS_PER_KILL;
        Thread doing = Thread.ofPlatform().start(what);
        while (users.created() < until || doing.isAlive()) {
            users.createAndDelete();
        }
        doing.join();
    }

    private void assertKilledInTheMiddle(Users users) {
        System.err.printf(
                "KillPartsIT: %d claims made, %d of them deleted again, killed when so many were made: %s%n",
                users.created(), users.deleted(), createdAtKill);
        assertThat(users.created()).isGreaterThanOrEqualTo(KILLS * CLAIMS_PER_KILL);
        assertThat(createdAtKill).hasSize(KILLS);
        assertThat(createdAtKill.stream().distinct().count()).isGreaterThanOrEqualTo(KILLS / 2);
        assertThat(deletedAtKill.get())
                .as("deleted before the last kill")
                .isGreaterThanOrEqualTo(createdAtKill.getLast() / 5);
    }

    /** After it is resumed, the allocator still assumes that it owns its cells. */
    private void freeze(Users users, String part) {
        try {
            Program program = services.get(part);
            program.signal("STOP");
            Users.pause(FROZEN);
            program.signal("CONT");
        } catch (IOException | InterruptedException e) {
            users.addFailure(e);
        }
    }

    private void kill(Users users, String part, long at) {
        try {
            Users.pause(Duration.ofNanos(Math.max(0, at - System.nanoTime())));
            services.kill(part);
            createdAtKill.add(users.created());
            deletedAtKill.set(users.deleted());
            if (random.nextBoolean()) {
                Users.pause(SHORTLY.multipliedBy(random.nextInt(3)));
            }
            services.start(part);
            services.restartEnded();
        } catch (IOException | InterruptedException | AssertionError e) {
            users.addFailure(e);
        }
    }

    private void startAll() throws IOException, InterruptedException {
        List<Integer> ports = FreePorts.of(2);
        var broker = new BrokerProgram(folder, "broker", ports.getFirst(), ports.getLast(), CELLS, 1);
        services.add("broker", broker::start);
        services.add("cluster", broker::startCluster);
        for (int i = 0; i < 2; i++) {
            String name = "allocator-" + i;
            services.add(
                    name,
                    () -> AllocatorProgram.start(
                            folder,
                            name,
                            broker.bootstrap(),
                            broker.registryUrl().toString()));
        }
    }
}
