package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.BrokerProgram;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.workload.CheckerProgram;
import dev.claimstream.systemtests.workload.Churn;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests two allocators that receive every record twice, late and reordered. Claims are created and deleted, and all
 * processes are killed in turn. Cluster, watcher, writer and console use the broker {@code quiet}, the allocators use
 * the broker {@code loud}. A {@link RedeliveryTransform} copies the public topics to {@code loud}; decisions are copied back
 * unchanged. A recorded history cannot replace this: its claims contain the allocations of another allocator.
 *
 * <p>The test compares the allocators' state of every object with the topics of {@code quiet}, read without any rule of
 * the core, and with the state of the cluster. The checker verifies the topics of both brokers.
 *
 * <p>The gate kills five times while 300 claims are created; {@code -Dkills=20 -Dclaims=2000}
 * is the large run.
 */
@Tag("part-0")
@Timeout(1800)
class RedeliveryIT {
    private static final int KILLS = Integer.getInteger("kills", 5);
    private static final int CLAIMS = Integer.getInteger("claims", 60 * KILLS);
    private static final int EXISTING_MAX = Math.min(250, CLAIMS / 3);
    private static final int IN_THE_MIDDLE_MS = 60;

    /** Number of claims that are deleted immediately before the cluster is killed. */
    private static final int DELETED_BEFORE_KILL = 30;

    private static final int IMPLIED_DELETIONS_MIN = 5;
    /** A kill may come after the watcher has published all of the deletions. */
    private static final int EXTRA_KILLS_MAX = 25;

    private static final int TRIES = 20;
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final int ALLOCATORS = 2;

    /** With several partitions, a sync marker is a record per partition, each behind other objects of its kind. */
    private static final int PARTITIONS = 3;

    private static final String CLUSTER = "cluster";
    private static final List<String> IN_TURN = List.of("allocator-0", "loud", "allocator-1", "quiet", CLUSTER);
    private static final List<String> PUBLIC_TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS, Topics.OUTCOMES);
    private static final List<String> DECISION_TOPICS = List.of(Topics.DECISIONS, Topics.EXPLANATIONS, Topics.LEDGER);

    private final long seed = Long.getLong("seed", System.nanoTime() & 0xffff);
    private final Random random = new Random(seed + 1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder = Path.of("");

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    void keepsStateAndDecisionsUnderRedeliveryAndKills(int cells) throws IOException, InterruptedException {
        System.err.printf("RedeliveryIT: seed %d (-Dseed=%d repeats its choices)%n", seed, seed);
        var users = new Users(folder, folder.resolve("cluster"), seed, EXISTING_MAX);
        var redelivery = new RedeliveryTransform(seed);
        List<Integer> ports = FreePorts.of(4);
        var quiet = new BrokerProgram(folder, "quiet", ports.get(0), ports.get(1), cells, PARTITIONS);
        var loud = new BrokerProgram(folder, "loud", ports.get(2), ports.get(3), cells, PARTITIONS);
        try (ProcessSupervisor parts = new ProcessSupervisor()) {
            parts.add("loud", loud::start);
            parts.add("quiet", quiet::start);
            try (Relay publicRelay =
                            Relay.start(quiet.kafka(), loud.kafka(), PUBLIC_TOPICS, redelivery, users::addFailure);
                    Relay decisionRelay = Relay.start(
                            loud.kafka(),
                            quiet.kafka(),
                            DECISION_TOPICS,
                            Relay.RecordTransform.IDENTITY,
                            users::addFailure)) {
                var comparison =
                        new StateComparison(quiet, loud, users, redelivery, List.of(publicRelay, decisionRelay));
                addAllocators(parts, loud, quiet.registryUrl());
                parts.add(CLUSTER, quiet::startCluster);
                users.apply(Churn.cluster());
                killInTurn(parts, users);
                killUntilDeletionsAreImplied(parts, users, comparison);
                users.assertSettled();
                comparison.assertStateEqualsTopics("settled");
                users.deleteAll();
                comparison.assertStateEqualsTopics("cleared");
                comparison.assertNoFindings();
                parts.assertAlive();
                System.err.printf(
                        "RedeliveryIT: %d claims, records delivered %s, %d deletions without a record%n",
                        users.created(), redelivery.counts(), comparison.impliedDeletions());
                assertThat(redelivery.duplicatesAfterSyncMarker())
                        .as("old records after a complete list")
                        .isPositive();
            }
        }
    }

    /**
     * Adds the allocators.
     *
     * @param registry of both brokers, since records are copied byte by byte
     */
    private void addAllocators(ProcessSupervisor parts, BrokerProgram broker, URI registry)
            throws IOException, InterruptedException {
        for (int i = 0; i < ALLOCATORS; i++) {
            String name = "allocator-" + i;
            parts.add(name, () -> AllocatorProgram.start(folder, name, broker.bootstrap(), registry.toString()));
        }
    }

    private void killInTurn(ProcessSupervisor parts, Users users) throws InterruptedException {
        for (int kill = 0; kill < KILLS; kill++) {
            workUntil((2 * kill + 1) * CLAIMS / (2 * KILLS), users);
            Thread killer = startKill(IN_TURN.get(kill % IN_TURN.size()), parts, users);
            try {
                workUntil((kill + 1) * CLAIMS / KILLS, users);
            } finally {
                killer.join();
            }
        }
    }

    /**
     * Kills the cluster until some deletions appear only in the next list. A watcher on a busy machine may publish
     * before the kill.
     */
    private void killUntilDeletionsAreImplied(ProcessSupervisor parts, Users users, StateComparison comparison)
            throws InterruptedException {
        for (int again = 0; comparison.impliedDeletions() < IMPLIED_DELETIONS_MIN; again++) {
            assertThat(again).as("kills of the watcher").isLessThan(EXTRA_KILLS_MAX);
            workUntil(users.created() + DELETED_BEFORE_KILL, users);
            startKill(CLUSTER, parts, users).join();
            users.assertNoFailures();
        }
    }

    private static void workUntil(int made, Users users) {
        while (users.created() < made) {
            users.createAndDelete();
        }
    }

    /**
     * Kills a process during the requests of users, and restarts it at once. The cluster is killed when claims have
     * just been deleted and its watcher still batches these deletions: only its next list implies them.
     */
    private Thread startKill(String part, ProcessSupervisor parts, Users users) {
        if (part.equals(CLUSTER)) {
            users.deleteDecided(DELETED_BEFORE_KILL);
        }
        Duration after = Duration.ofMillis(part.equals(CLUSTER) ? 0 : random.nextInt(IN_THE_MIDDLE_MS));
        return Thread.ofPlatform().start(() -> {
            try {
                Users.pause(after);
                parts.kill(part);
                parts.start(part);
                parts.restartEnded();
            } catch (IOException | InterruptedException | AssertionError e) {
                users.addFailure(e);
            }
        });
    }

    private final class StateComparison {
        private final BrokerProgram quiet;
        private final BrokerProgram loud;
        private final Users users;
        private final RedeliveryTransform redelivery;
        private final List<Relay> relays;
        private final ObjectStateReader objects;

        StateComparison(
                BrokerProgram quiet,
                BrokerProgram loud,
                Users users,
                RedeliveryTransform redelivery,
                List<Relay> relays) {
            this.quiet = quiet;
            this.loud = loud;
            this.users = users;
            this.redelivery = redelivery;
            this.relays = relays;
            this.objects =
                    new ObjectStateReader(new RestRegistry(RestRegistry.RegistrySettings.of(quiet.registryUrl())));
        }

        /**
         * Asserts that the allocators' state equals the published objects.
         *
         * @param when name of two objects that are created last: once both are stored, all earlier records have been
         *     processed
         */
        void assertStateEqualsTopics(String when) {
            users.await("end of what is told", () -> {
                redelivery.requestFlush();
                return relays.stream().allMatch(Relay::isIdle);
            });
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
                    () -> stored().keySet().stream()
                                    .filter(key -> key.endsWith("/" + when))
                                    .count()
                            == 2);
            var published = new TreeMap<>(objects.published(quiet.kafka()).existing());
            published.replaceAll((_, row) -> withoutListVersion(row));
            assertThat(published).hasSizeGreaterThan(2 * Churn.NODES);
            assertThat(published.keySet()).as("%s, seed %d", when, seed).isEqualTo(objects.clusterKeys(quiet.kafka()));
            assertThat(awaitStored(published)).as("%s, seed %d", when, seed).isEqualTo(published);
        }

        /** Rows do not have the version of the list. */
        private static ObservedRow.ObjectRow withoutListVersion(ObservedRow.ObjectRow row) {
            Stamp stamp = row.stamp();
            return new ObservedRow.ObjectRow(
                    row.kind(),
                    row.object(),
                    row.uid(),
                    new Stamp(stamp.source(), stamp.epoch(), stamp.version(), stamp.timing()),
                    row.content());
        }

        /** With several cells, the router may store an object before its cell does. */
        private SortedMap<String, ObservedRow.ObjectRow> awaitStored(
                SortedMap<String, ObservedRow.ObjectRow> published) {
            SortedMap<String, ObservedRow.ObjectRow> kept = stored();
            for (int tries = 0; tries < TRIES && !kept.equals(published); tries++) {
                Users.pause(BETWEEN_TRIES);
                kept = stored();
            }
            return kept;
        }

        /** Asserts that the checker reports nothing about all records that the allocators received and sent. */
        void assertNoFindings() throws IOException, InterruptedException {
            CommandResult checked = CheckerProgram.runUntilClean(folder, loud.bootstrap(), quiet.registryUrl());
            assertThat(checked.exitCode()).as("seed %d: %s", seed, checked).isZero();
        }

        int impliedDeletions() {
            return objects.published(quiet.kafka()).impliedDeletions();
        }

        private SortedMap<String, ObservedRow.ObjectRow> stored() {
            return objects.stored(loud.kafka(), loud.cells());
        }
    }
}
