package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code claimstream up} is killed hard again and again while claims come and go. */
@Timeout(1800)
class KillIT {
    private static final String READY = "Ctrl-C ends it";
    private static final int KILLS = Integer.getInteger("claimstream.kills", 20);
    private static final int CLAIMS = 100 * KILLS;
    private static final int STANDING = 250;
    private static final Duration PATIENCE = Duration.ofMinutes(5); // a start of the process on a busy machine, and a second one
    private static final Duration SHORTLY = Duration.ofMillis(2000);

    private final long seed = Long.getLong("claimstream.seed", System.nanoTime() & 0xffff);
    private final Churn churn = new Churn(seed);
    private final AtomicInteger kills = new AtomicInteger();
    private final List<Throwable> failures = new ArrayList<>();

    @TempDir
    private Path folder = Path.of("");

    @Test
    void everyClaimIsAnsweredOnceAndNoDeviceTwiceHoweverOftenItIsKilled() throws Exception {
        System.err.printf("KillIT: seed %d (-Dclaimstream.seed=%d repeats it)%n", seed, seed);
        try (var killing = new Killing()) {
            killing.start();
            apply(Churn.cluster());
            while (churn.made().size() < CLAIMS) {
                if (churn.made().size() < CLAIMS * (kills.get() + 1) / (KILLS + 1) || kills.get() == KILLS) {
                    work();
                } else {
                    TimeUnit.MILLISECONDS.sleep(20);
                }
                killing.check();
            }
            killing.join();
            SortedMap<String, Item> settled = settled();
            assertThat(names(settled.keySet())).as("what stands, seed %d", seed).isEqualTo(churn.standing());
            assertThat(wronglyWaiting(settled)).as("served, seed %d", seed).isEmpty();
            Endpoint endpoint = remote().endpoint();
            assertNothingIsWrong(endpoint);
            assertThat(names(DecisionLog.names(endpoint.bootstrap(), endpoint.registry())))
                    .as("answered, seed %d", seed)
                    .isEqualTo(churn.made());

            while (!churn.standing().isEmpty()) {
                delete(churn.fewer(_ -> true));
            }
            await("all free", () -> claims().isEmpty() && free() == Churn.NODES * Churn.DEVICES_PER_NODE);
            assertNothingIsWrong(endpoint);
        }
    }

    private void assertNothingIsWrong(Endpoint endpoint) throws IOException, InterruptedException {
        Ran checked = Checking.once(folder, endpoint.bootstrap(), endpoint.registry());
        System.err.print(checked.out());
        assertThat(checked.exitCode()).as("seed %d: %s", seed, checked).isZero();
    }

    // ---- claims come and go

    private void work() {
        apply(churn.more());
        if (churn.standing().size() > STANDING) {
            Set<String> answered = names(claims().entrySet().stream()
                    .filter(each -> !each.getValue().text("state").equals("pending"))
                    .map(SortedMap.Entry::getKey)
                    .collect(Collectors.toSet()));
            delete(churn.fewer(answered::contains));
        }
    }

    private void apply(String manifests) {
        post("/api/v1/apply", manifests);
    }

    private void delete(String manifests) {
        post("/api/v1/delete", manifests);
    }

    /** Says it until it is heard. Whether it was heard when the process died is not known; saying it again does no harm. */
    private void post(String path, String manifests) {
        Item[] said = new Item[1];
        await(path, () -> {
            said[0] = remote().post(path, manifests.getBytes(StandardCharsets.UTF_8));
            return true;
        });
        assertThat(said[0].items("findings")).isEmpty();
        assertThat(said[0].items("objects"))
                .isNotEmpty()
                .extracting(each -> each.text("outcome"))
                .isSubsetOf("created", "unchanged", "deleted", "terminating", "missing");
    }

    private Remote remote() {
        return Remote.on(folder.resolve("data"));
    }

    private SortedMap<String, Item> claims() {
        var claims = new TreeMap<String, Item>();
        remote().items("/api/v1/claims").forEach(each -> claims.put(each.text("name"), each));
        return claims;
    }

    private long free() {
        return remote().items("/api/v1/devices?state=free").size();
    }

    private static Set<String> names(Set<String> claims) {
        return claims.stream().map(Churn::nameOf).collect(Collectors.toSet());
    }

    // ---- what is true in the end

    /** The claims, once everything is decided and committed and nothing changes any more. */
    private SortedMap<String, Item> settled() {
        var last = new ArrayList<SortedMap<String, Item>>();
        last.add(new TreeMap<>());
        await("quiet", () -> {
            SortedMap<String, Item> now = claims();
            boolean isQuiet = now.equals(last.getFirst()) && now.values().stream().allMatch(KillIT::isSettled);
            last.set(0, now);
            if (!isQuiet) {
                pause(Duration.ofMillis(500));
            }
            return isQuiet;
        });
        return last.getFirst();
    }

    private static boolean isSettled(Item claim) {
        return switch (claim.text("state")) {
            case "granted" -> claim.text("committed").equals("true");
            case "waits" -> true;
            default -> false;
        };
    }

    /** A claim waits for a true reason: no node has as many free devices as it wants, or one that has is kept for an older one. */
    private List<String> wronglyWaiting(SortedMap<String, Item> claims) {
        SortedMap<String, Integer> free = new TreeMap<>();
        remote().items("/api/v1/devices?state=free").forEach(each -> free.merge(each.text("node"), 1, Integer::sum));
        int most = free.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        List<Item> waiting = claims.values().stream()
                .filter(each -> each.text("state").equals("waits"))
                .toList();
        boolean isOneKept = waiting.stream().anyMatch(each -> each.text("reason").equals("DevicesInUse"));
        return waiting.stream()
                .filter(each -> !each.text("reason").equals("DevicesInUse") || Churn.sizeOf(each.text("name")) <= most)
                .filter(each -> !(each.text("reason").equals("Earmarked") && isOneKept))
                .map(each -> each.text("name") + ": " + each.text("reason") + " " + each.text("message") + ", free "
                        + free)
                .toList();
    }

    // ---- waiting

    /** A question that may fail as long as the process is not there. */
    private interface Question {
        boolean ask();
    }

    private void await(String what, Question question) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String why = "";
        while (System.nanoTime() < end) {
            try {
                if (question.ask()) {
                    return;
                }
            } catch (RunFailure e) {
                why = String.valueOf(e.getMessage());
            }
            pause(Duration.ofMillis(50));
        }
        throw new AssertionError("no %s within %s, seed %d: %s; %s".formatted(what, PATIENCE, seed, why, failures));
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- the process, and who kills it

    /** Starts the process, kills it at random moments, also while it starts, and starts it again. */
    private final class Killing implements AutoCloseable {
        private final Random random = new Random(seed + 1);
        private final Thread thread = new Thread(this::run, "killer");
        private volatile boolean isClosed;

        void start() {
            thread.start();
        }

        private void run() {
            try {
                for (int i = 0; i < KILLS; i++) {
                    try (Program up = up()) {
                        if (random.nextInt(4) > 0) {
                            up.awaitOut(READY, PATIENCE);
                            pause(Duration.ofMillis(random.nextInt((int) SHORTLY.toMillis())));
                        } else {
                            pause(Duration.ofMillis(random.nextInt(2 * (int) SHORTLY.toMillis())));
                        }
                        assertThat(up.err()).isEmpty();
                        up.kill();
                        up.awaitEnd();
                    }
                    kills.incrementAndGet();
                }
                try (Program up = up()) {
                    up.awaitOut(READY, PATIENCE);
                    thread.setName("last");
                    while (!isClosed) {
                        pause(Duration.ofMillis(100));
                    }
                    up.interrupt();
                    assertThat(up.awaitEnd()).isZero();
                }
            } catch (IOException | InterruptedException | AssertionError e) {
                failures.add(e);
            }
        }

        private Program up() throws IOException {
            return Program.start(folder, "up", "--data", folder.resolve("data").toString());
        }

        void check() {
            assertThat(failures).as("seed %d", seed).isEmpty();
        }

        /** Returns when the last kill is done and it runs again. */
        void join() {
            await("last start", () -> thread.getName().equals("last"));
            check();
        }

        @Override
        public void close() throws InterruptedException {
            isClosed = true;
            thread.interrupt();
            thread.join();
        }
    }
}
