package dev.claimstream.agent.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Liveness of nodes by heartbeats on a broker, by a simulated clock unless a test states otherwise. */
@Timeout(180)
final class LivenessMonitorIT {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** Shorter than in production, because the clock of the tests does not wait. */
    private static final Duration WAIT_MAX = Duration.ofMillis(20);

    private static final Duration STEP = Duration.ofMillis(2500);
    private static final Duration WAIT_LIMIT = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private Instant now = START;
    private final InstantSource clock = () -> now;
    private KafkaFixture kafka;
    private AgentPublisher agents;

    @BeforeEach
    void start() {
        kafka = KafkaFixture.start(folder);
        agents = new AgentPublisher(kafka.connection(), kafka.registry(), "agent:test", 1);
    }

    @AfterEach
    void stop() {
        agents.close();
        kafka.close();
    }

    private HeartbeatConsumer openConsumer(String instance) {
        return openConsumer(instance, TIMEOUT);
    }

    private HeartbeatConsumer openConsumer(String instance, Duration timeout) {
        return new HeartbeatConsumer(kafka.connection(), kafka.registry(), instance, timeout, WAIT_MAX, now);
    }

    private void heartbeat(String node) {
        assertThat(agents.publish(Optional.empty(), KafkaFixture.heartbeat(node)))
                .isTrue();
    }

    /** Advances the clock by at least {@code seconds} while the consumer is current and these nodes send heartbeats. */
    private void advance(HeartbeatConsumer watch, int seconds, String... nodes) {
        Instant end = now.plusSeconds(seconds);
        while (now.isBefore(end)) {
            List.of(nodes).forEach(this::heartbeat);
            catchUp(watch);
        }
    }

    /** Steps until the consumer has read all earlier heartbeats. The clock advances by some seconds. */
    private void catchUp(HeartbeatConsumer watch) {
        for (int times = 0; times < 2; ) {
            now = now.plus(STEP);
            times += watch.step(clock) ? 1 : 0;
        }
    }

    @Test
    void publishesEachLivenessChangeOnce() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 40, "node-1", "node-2");
            advance(watch, 60, "node-2");
            advance(watch, 20, "node-1", "node-2");
        }
        assertThat(kafka.liveness())
                .containsExactlyInAnyOrder("node-1 alive", "node-2 alive", "node-1 silent", "node-1 alive");
    }

    /** A static member would keep its partitions until its session times out. */
    @Test
    void leavesItsGroupWhenStopped() throws Exception {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            watch.stop();
        }
        try (var admin = Admin.create(kafka.connection().properties())) {
            assertThat(admin.describeConsumerGroups(List.of(HeartbeatConsumer.GROUP))
                            .all()
                            .get()
                            .values())
                    .singleElement()
                    .satisfies(group -> assertThat(group.members()).isEmpty());
        }
    }

    @Test
    void restartKeepsSilentNodesAndRestartsTimeouts() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1", "node-2", "node-3");
            advance(watch, 60, "node-2", "node-3");
        }
        assertThat(kafka.liveness()).hasSize(4).endsWith("node-1 silent");
        now = now.plusSeconds(1000);
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            assertThat(kafka.liveness()).hasSize(4);
            advance(watch, 10, "node-1", "node-2");
            assertThat(kafka.liveness()).hasSize(5).endsWith("node-1 alive");
            advance(watch, 40, "node-1", "node-2");
            assertThat(kafka.liveness()).hasSize(6).endsWith("node-3 silent");
        }
    }

    @Test
    void otherInstanceTakesOverLiveness() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1", "node-2");
            advance(watch, 40, "node-2");
        }
        assertThat(kafka.liveness()).containsExactly("node-1 alive", "node-2 alive", "node-1 silent");
        try (var other = openConsumer("two")) {
            catchUp(other);
            advance(other, 40, "node-1");
        }
        assertThat(kafka.liveness())
                .containsExactly("node-1 alive", "node-2 alive", "node-1 silent", "node-1 alive", "node-2 silent");
    }

    @Test
    void gapInPollingSilencesNoNode() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1");
            now = now.plusSeconds(500);
            catchUp(watch);
            assertThat(kafka.liveness()).containsExactly("node-1 alive");
            advance(watch, 15);
            assertThat(kafka.liveness()).containsExactly("node-1 alive");
            advance(watch, 30);
            assertThat(kafka.liveness()).containsExactly("node-1 alive", "node-1 silent");
        }
    }

    @Test
    void publishesNodeThatReturnsDuringRestart() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1", "node-2");
            advance(watch, 40, "node-2");
        }
        heartbeat("node-1");
        heartbeat("node-2");
        heartbeat("node-3");
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1", "node-2", "node-3");
        }
        assertThat(kafka.liveness())
                .containsExactly("node-1 alive", "node-2 alive", "node-1 silent", "node-1 alive", "node-3 alive");
    }

    @Test
    void brokerOutageSilencesNoNodeAndMonitorResumes() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1", "node-2");
            advance(watch, 40, "node-2");
            now = now.plusSeconds(5);
            watch.step(clock); // the consumer knows its position, and asks the broker only for end offsets
            kafka.stopBroker();
            for (int i = 0; i < 2; i++) {
                now = now.plusSeconds(2);
                assertThat(watch.step(clock)).as("without a broker").isFalse();
            }
            kafka.restartBroker();
            now = now.plusSeconds(500);
            catchUp(watch);
            assertThat(kafka.liveness()).containsExactly("node-1 alive", "node-2 alive", "node-1 silent");
            advance(watch, 50, "node-1");
        }
        assertThat(kafka.liveness())
                .containsExactly("node-1 alive", "node-2 alive", "node-1 silent", "node-1 alive", "node-2 silent");
    }

    @ParameterizedTest(name = "timeout of {0} s")
    @ValueSource(longs = {1, 3})
    void appliesShortTimeouts(long seconds) {
        Duration timeout = Duration.ofSeconds(seconds);
        try (var watch = openConsumer("one", timeout)) {
            catchUp(watch);
            for (int i = 0; i < 40; i++) {
                heartbeat("node-1");
                now = now.plus(timeout.dividedBy(12));
                watch.step(clock);
            }
            assertThat(kafka.liveness()).containsExactly("node-1 alive");
            for (int i = 0; i < 40; i++) {
                now = now.plus(timeout.dividedBy(12));
                watch.step(clock);
            }
        }
        assertThat(kafka.liveness()).containsExactly("node-1 alive", "node-1 silent");
    }

    @Test
    void versionsGrowWithEachLivenessRecord() {
        try (var watch = openConsumer("one")) {
            catchUp(watch);
            advance(watch, 10, "node-1");
            advance(watch, 60);
            advance(watch, 10, "node-1");
        }
        assertThat(kafka.inventory())
                .hasSize(3)
                .extracting(each -> each.getVersion())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    // ---- on its own thread, by the system clock

    /** A schema registry that can be unavailable. */
    private static final class UnreliableRegistry implements SchemaRegistry {
        static final String UNAVAILABLE_MESSAGE = "the registry is away";

        private final SchemaRegistry registry;
        private volatile boolean isUnavailable = true;

        UnreliableRegistry(SchemaRegistry registry) {
            this.registry = registry;
        }

        @Override
        public int register(String subject, Schema schema) {
            check();
            return registry.register(subject, schema);
        }

        @Override
        public Schema byId(int id) {
            check();
            return registry.byId(id);
        }

        private void check() {
            if (isUnavailable) {
                throw new RegistryException(RegistryException.RegistryErrorCode.UNREACHABLE, UNAVAILABLE_MESSAGE, null);
            }
        }
    }

    @Test
    void resumesAfterRegistryAndBrokerOutage() throws InterruptedException {
        var health = new Health();
        var leaving = new UnreliableRegistry(kafka.registry());
        var liveness = new LivenessMonitor(kafka.connection(), leaving, Duration.ofSeconds(3), "one", health);
        liveness.start();
        try {
            heartbeat("node-1");
            await(
                    () -> hasCondition(
                            health, "liveness checks paused, retrying: " + UnreliableRegistry.UNAVAILABLE_MESSAGE),
                    "word of the registry");
            leaving.isUnavailable = false;
            await(() -> kafka.liveness().equals(List.of("node-1 alive", "node-1 silent")), "judgement with a registry");

            kafka.stopBroker();
            await(
                    () -> hasCondition(
                            health,
                            "liveness checks paused: no connection to "
                                    + kafka.connection().bootstrap()),
                    "word of the broker");
            kafka.restartBroker();
            await(() -> agents.publish(Optional.empty(), KafkaFixture.heartbeat("node-1")), "a heartbeat");
            await(() -> kafka.liveness().size() == 4, "judgement with a broker");
            assertThat(kafka.liveness())
                    .containsExactly("node-1 alive", "node-1 silent", "node-1 alive", "node-1 silent");
            await(() -> hasCondition(health, "nodes with live agents: 0"), "health");
        } finally {
            liveness.stop();
        }
    }

    private static boolean hasCondition(Health health, String sentence) {
        return health.report().parts().stream()
                .anyMatch(part -> part.condition().sentence().equals(sentence));
    }

    /** Polls until the condition holds, within the time limit of the test. */
    private static void await(BooleanSupplier reached, String what) throws InterruptedException {
        long end = System.nanoTime() + WAIT_LIMIT.toNanos();
        while (!reached.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
