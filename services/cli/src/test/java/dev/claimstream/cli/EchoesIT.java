package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.Topics;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.ClusterWatcher;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Claims come and go while the allocator hears everything twice, now and then late, and of different objects in another order. Cluster,
 * watcher, writer and console are at one broker, the allocator is at another one, and between the two everything is passed on: to the
 * allocator as a {@link Retelling}, from it as it is. A recorded history would not do: its claims have what another allocator gave them.
 *
 * <p>Compared is what the allocator knows in the end of every object with what the undisturbed broker says of it last, read from the
 * topics without any of the core's rules. The checker looks at both brokers: at what the cluster was told, and at what the allocator heard
 * and said.
 */
@Timeout(600)
class EchoesIT {
    private static final int CLAIMS = 300;
    private static final List<String> HEARD = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);
    private static final List<String> SAID = List.of(Topics.DECISIONS, Topics.EXPLANATIONS, Topics.LEDGER);

    private final long seed = Long.getLong("claimstream.seed", System.nanoTime() & 0xffff);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    void whatIsHeardTwiceLateAndInAnotherOrderIsKnownAsItIsAndServedAsEver(int cells)
            throws IOException, InterruptedException {
        System.err.printf("EchoesIT: seed %d (-Dclaimstream.seed=%d repeats its choices)%n", seed, seed);
        var users = new Users(folder, folder.resolve("cluster"), seed);
        var retelling = new Retelling(seed);
        try (Stack quiet = Stack.start(folder.resolve("quiet"), StackPorts.free(), cells);
                Stack loud = Stack.start(folder.resolve("loud"), StackPorts.free(), cells);
                Relay heard = Relay.start(quiet.kafka(), loud.kafka(), HEARD, retelling, users::failed);
                Relay said = Relay.start(loud.kafka(), quiet.kafka(), SAID, Relay.Manner.AS_IT_IS, users::failed);
                Program cluster = cluster(quiet);
                ApplicationContext services = allocator(loud, quiet)) {
            var world = new World(quiet, loud, cells, users, List.of(heard, said));
            cluster.awaitOut(Part.READY, Users.PATIENCE);
            users.apply(Churn.cluster());
            while (users.made() < CLAIMS) {
                users.work();
            }
            users.settle();
            world.assertKnown("settled");
            users.clear();
            world.assertKnown("cleared");
            world.assertNothingIsWrong();
            assertThat(services.getBean(Allocator.class).isAlive()).isTrue();
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

    /** The allocator alone. Records are passed on byte by byte, so that there is one registry for all. */
    private ApplicationContext allocator(Stack loud, Stack quiet) {
        Map<String, Object> properties = new TreeMap<>(Map.of(
                "claimstream.allocator.state-folder", folder.resolve("state").toString()));
        for (String other : List.of("agent", "watcher", "writer", "console")) {
            properties.put("claimstream.%s.enabled".formatted(other), false);
        }
        for (Kind kind : Kind.values()) {
            properties.put("claimstream.allocator.sources." + kind.apiName(), ClusterWatcher.SOURCE);
        }
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .properties(properties)
                .singletons(loud.kafka(), quiet.registry(), new CelSelectors())
                .start();
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
            assertThat(kept()).as("%s, seed %d", when, seed).isEqualTo(published);
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
