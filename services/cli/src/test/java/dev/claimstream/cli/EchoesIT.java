package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Row;
import dev.claimstream.kafka.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claims come and go while two allocators hear everything twice, now and then late, and of different objects in another order, and are
 * killed by turns. Cluster, watcher, writer and console are at one broker, the allocators are at another one, and between the two
 * everything is passed on: to the allocators as a {@link Retelling}, from them as it is. A recorded history would not do: its claims have
 * what another allocator gave them.
 *
 * <p>Compared is what the allocator knows in the end of every object with what the undisturbed broker says of it last, read from the
 * topics without any of the core's rules. The checker looks at both brokers: at what the cluster was told, and at what the allocator heard
 * and said. The cluster is not killed: a watcher that begins anew says by its list alone what has gone meanwhile, and what was last said of
 * an object is not all that is said of it then.
 *
 * <p>The gate kills five times while 300 claims are made; {@code -Dclaimstream.kills=20 -Dclaimstream.claims=2000} is the large run.
 */
@Timeout(1800)
class EchoesIT {
    private static final int KILLS = Integer.getInteger("claimstream.kills", 5);
    private static final int CLAIMS = Integer.getInteger("claimstream.claims", 60 * KILLS);
    private static final int IN_THE_MIDDLE_MS = 60;
    private static final int TRIES = 20;
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final List<String> HEARD = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);
    private static final List<String> SAID = List.of(Topics.DECISIONS, Topics.EXPLANATIONS, Topics.LEDGER);

    private final long seed = Long.getLong("claimstream.seed", System.nanoTime() & 0xffff);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    void whatIsHeardTwiceLateAndInAnotherOrderIsKnownAsItIsAndServedAsEverWhoeverIsKilled(int cells)
            throws IOException, InterruptedException {
        System.err.printf("EchoesIT: seed %d (-Dclaimstream.seed=%d repeats its choices)%n", seed, seed);
        var users = new Users(folder, folder.resolve("cluster"), seed);
        var retelling = new Retelling(seed);
        try (Stack quiet = Stack.start(folder.resolve("quiet"), StackPorts.free(), cells);
                Stack loud = Stack.start(folder.resolve("loud"), StackPorts.free(), cells);
                Relay heard = Relay.start(quiet.kafka(), loud.kafka(), HEARD, retelling, users::failed);
                Relay said = Relay.start(loud.kafka(), quiet.kafka(), SAID, Relay.Manner.AS_IT_IS, users::failed);
                Program cluster = cluster(quiet);
                Allocators allocators = new Allocators(loud, quiet)) {
            var world = new World(quiet, loud, cells, users, List.of(heard, said));
            cluster.awaitOut(Part.READY, Users.PATIENCE);
            users.apply(Churn.cluster());
            for (int kill = 1; kill <= KILLS; kill++) {
                while (users.made() < kill * CLAIMS / KILLS) {
                    users.work();
                }
                allocators.killOne(kill);
            }
            users.settle();
            world.assertKnown("settled");
            users.clear();
            world.assertKnown("cleared");
            world.assertNothingIsWrong();
            allocators.assertAlive();
            System.err.printf("EchoesIT: %d claims, records told %s%n", users.made(), retelling.counts());
        }
    }

    private Program cluster(Stack quiet) throws IOException {
        return Program.start(
                folder,
                Part.class,
                "cluster",
                folder.resolve("cluster").toString(),
                quiet.kafka().bootstrap(),
                quiet.registryUrl().toString());
    }

    /** Records are passed on byte by byte, so that there is one registry for all. */
    private final class Allocators implements AutoCloseable {
        private static final int COUNT = 2;

        private final Stack loud;
        private final Stack quiet;
        private final Random random = new Random(seed + 1);
        private final List<Program> running = new ArrayList<>();

        Allocators(Stack loud, Stack quiet) throws IOException {
            this.loud = loud;
            this.quiet = quiet;
            for (int i = 0; i < COUNT; i++) {
                running.add(start(i));
            }
        }

        private Program start(int number) throws IOException {
            return AllocatorProgram.start(
                    folder,
                    "allocator-" + number,
                    loud.kafka().bootstrap(),
                    quiet.registryUrl().toString());
        }

        /** In the middle of what users asked for last; it is started again at once. */
        void killOne(int kill) throws IOException, InterruptedException {
            int number = kill % COUNT;
            Users.pause(Duration.ofMillis(random.nextInt(IN_THE_MIDDLE_MS)));
            Program killed = running.get(number);
            assertThat(killed.isAlive()).as(killed.err()).isTrue();
            killed.kill();
            killed.awaitEnd();
            running.set(number, start(number));
        }

        void assertAlive() {
            assertThat(running)
                    .allSatisfy(each -> assertThat(each.isAlive())
                            .as("seed %d: %s", seed, each.err())
                            .isTrue());
        }

        @Override
        public void close() {
            running.forEach(Program::close);
        }
    }

    private final class World {
        private final Stack quiet;
        private final Stack loud;
        private final int cells;
        private final Users users;
        private final List<Relay> relays;
        private final KnownObjects objects;

        World(Stack quiet, Stack loud, int cells, Users users, List<Relay> relays) {
            this.quiet = quiet;
            this.loud = loud;
            this.cells = cells;
            this.users = users;
            this.relays = relays;
            this.objects = new KnownObjects(quiet.registry());
        }

        /** @param when a name for two objects that come behind everything that was told before: when they are known, that was taken */
        void assertKnown(String when) {
            users.await("end of what is told", () -> relays.stream().allMatch(Relay::isQuiet));
            users.apply("""
                    apiVersion: v1
                    kind: Node
                    metadata: {name: %1$s}
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaimTemplate
                    metadata: {name: %1$s, namespace: default}
                    spec: {spec: {devices: {requests: []}}}
                    """.formatted(when));
            users.await(
                    "node and template",
                    () -> kept().keySet().stream()
                                    .filter(key -> key.endsWith("/" + when))
                                    .count()
                            == 2);
            SortedMap<String, Row.ObjectRow> published = objects.published(quiet.kafka());
            assertThat(published).hasSizeGreaterThan(2 * Churn.NODES);
            assertThat(keptAtLast(published)).as("%s, seed %d", when, seed).isEqualTo(published);
        }

        /** With several cells the router may know what a cell has yet to take. */
        private SortedMap<String, Row.ObjectRow> keptAtLast(SortedMap<String, Row.ObjectRow> published) {
            SortedMap<String, Row.ObjectRow> kept = kept();
            for (int tries = 0; tries < TRIES && !kept.equals(published); tries++) {
                Users.pause(BETWEEN_TRIES);
                kept = kept();
            }
            return kept;
        }

        /** Everything that the allocator was told and has said, from the beginning. */
        void assertNothingIsWrong() throws IOException, InterruptedException {
            Ran checked = Checking.once(folder, loud.kafka().bootstrap(), quiet.registryUrl());
            assertThat(checked.exitCode()).as("seed %d: %s", seed, checked).isZero();
        }

        private SortedMap<String, Row.ObjectRow> kept() {
            return objects.kept(loud.kafka(), cells);
        }
    }
}
