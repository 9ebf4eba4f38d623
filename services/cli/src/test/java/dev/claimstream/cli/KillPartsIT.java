package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two allocators with two cells, the cluster with watcher and writer, and the broker, each a process that is killed in its turn, also while
 * it or another one starts. In the end an allocator is frozen until the other one has taken over what it had.
 */
@Timeout(1800)
class KillPartsIT {
    private static final int CELLS = 2;
    private static final int KILLS = Integer.getInteger("claimstream.kills", 20);
    private static final int CLAIMS_PER_KILL = 100;
    private static final Duration SHORTLY = Duration.ofSeconds(2);

    /** Longer than a transaction may last, and than the group waits for a member. */
    private static final Duration FROZEN = Duration.ofSeconds(15);

    private final long seed = Long.getLong("claimstream.seed", System.nanoTime() & 0xffff);
    private final Random random = new Random(seed + 1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    private interface Start {
        Program start() throws IOException;
    }

    private final Map<String, Start> starts = new LinkedHashMap<>();
    private final Map<String, Program> running = new LinkedHashMap<>();
    private final List<String> ends = new ArrayList<>();
    private final List<Integer> madeAtKill = new CopyOnWriteArrayList<>();
    private final AtomicInteger goneAtKill = new AtomicInteger();

    @Test
    void everyClaimIsAnsweredOnceAndNoDeviceTwiceWhoeverIsKilled() throws IOException, InterruptedException {
        System.err.printf("KillPartsIT: seed %d (-Dclaimstream.seed=%d repeats it)%n", seed, seed);
        var users = new Users(folder, folder.resolve("cluster"), seed);
        try {
            startAll();
            users.apply(Churn.cluster());
            List<String> parts = List.copyOf(starts.keySet());
            for (int i = 0; i < KILLS; i++) {
                String part = parts.get(i % parts.size());
                long killAt = System.nanoTime() + random.nextLong(SHORTLY.toNanos());
                workMeanwhile(users, () -> kill(users, part, killAt));
                restartEnded();
            }
            assertKilledInTheMiddle(users);
            workMeanwhile(users, () -> freeze(users, "allocator-0"));
            restartEnded();
            users.end();
        } finally {
            running.values().forEach(Program::close);
            System.err.println("ended by themselves: " + ends);
        }
    }

    /** Users make and delete claims until it is done, and so many more were made. */
    private static void workMeanwhile(Users users, Runnable what) throws InterruptedException {
        int until = users.made() + CLAIMS_PER_KILL;
        Thread doing = Thread.ofPlatform().start(what);
        while (users.made() < until || doing.isAlive()) {
            users.work();
        }
        doing.join();
    }

    private void assertKilledInTheMiddle(Users users) {
        System.err.printf(
                "KillPartsIT: %d claims made, %d of them deleted again, killed when so many were made: %s%n",
                users.made(), users.gone(), madeAtKill);
        assertThat(users.made()).isGreaterThanOrEqualTo(KILLS * CLAIMS_PER_KILL);
        assertThat(madeAtKill).hasSize(KILLS);
        assertThat(madeAtKill.stream().distinct().count()).isGreaterThanOrEqualTo(KILLS / 2);
        assertThat(goneAtKill.get()).as("deleted before the last kill").isGreaterThanOrEqualTo(users.made() / 4);
    }

    /** It believes that it owns its cells when it goes on. */
    private void freeze(Users users, String part) {
        try {
            Program program = Objects.requireNonNull(running.get(part));
            program.signal("STOP");
            Users.pause(FROZEN);
            program.signal("CONT");
        } catch (IOException | InterruptedException e) {
            users.failed(e);
        }
    }

    private void kill(Users users, String part, long at) {
        try {
            Users.pause(Duration.ofNanos(Math.max(0, at - System.nanoTime())));
            Program program = Objects.requireNonNull(running.get(part));
            program.kill();
            program.awaitEnd();
            madeAtKill.add(users.made());
            goneAtKill.set(users.gone());
            if (random.nextBoolean()) {
                Users.pause(SHORTLY.multipliedBy(random.nextInt(3)));
            }
            start(part);
            restartEnded();
        } catch (IOException | InterruptedException | AssertionError e) {
            users.failed(e);
        }
    }

    /** As whoever supervises processes would. */
    private synchronized void restartEnded() throws IOException, InterruptedException {
        for (String part : starts.keySet()) {
            Program program = Objects.requireNonNull(running.get(part));
            if (!program.isAlive()) {
                ends.add(part + ": " + program.err() + program.out().lines().reduce("", (_, last) -> last));
                start(part);
            }
        }
    }

    private void start(String part) throws IOException, InterruptedException {
        Program program = Objects.requireNonNull(starts.get(part)).start();
        running.put(part, program);
        if (!part.startsWith("allocator")) {
            program.awaitOut(Part.READY, Users.PATIENCE);
        }
    }

    private void startAll() throws IOException, InterruptedException {
        List<Integer> ports = FreePorts.of(2);
        int broker = ports.getFirst();
        int registry = ports.getLast();
        String bootstrap = Loopback.HOST + ":" + broker;
        String registryUrl = "http://%s:%d".formatted(Loopback.HOST, registry);
        starts.put(
                "broker",
                () -> part(
                        "broker",
                        folder.resolve("broker").toString(),
                        Integer.toString(broker),
                        Integer.toString(registry),
                        Integer.toString(CELLS)));
        starts.put("cluster", () -> part("cluster", folder.resolve("cluster").toString(), bootstrap, registryUrl));
        for (int i = 0; i < 2; i++) {
            String name = "allocator-" + i;
            starts.put(name, () -> AllocatorProgram.start(folder, name, bootstrap, registryUrl));
        }
        for (String part : starts.keySet()) {
            start(part);
        }
    }

    private Program part(String... args) throws IOException {
        return Program.start(folder, Part.class, args);
    }
}
