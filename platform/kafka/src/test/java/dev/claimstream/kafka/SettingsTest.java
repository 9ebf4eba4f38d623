package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;

/** Client properties of producers, consumers and streams. */
class SettingsTest {
    private static final KafkaConnection PLAIN = KafkaConnection.plain("127.0.0.1:9092");

    @Test
    void producerHasDocumentedSettings() {
        Properties p = ProducerSettings.of(PLAIN, "intake").properties();
        assertThat(text(p))
                .containsOnly(
                        entry("bootstrap.servers", "127.0.0.1:9092"),
                        entry("enable.metrics.push", "false"),
                        entry("client.id", "intake"),
                        entry("acks", "all"),
                        entry("enable.idempotence", "true"),
                        entry("linger.ms", "0"),
                        entry("retry.backoff.ms", "2"),
                        entry("retry.backoff.max.ms", "20"),
                        entry("request.timeout.ms", "10000"),
                        entry("delivery.timeout.ms", "30000"),
                        entry("max.block.ms", "10000"),
                        entry("partitioner.class", "dev.claimstream.kafka.KeyPartitioner"));
        assertThat(ProducerConfig.configNames()).containsAll(p.stringPropertyNames());
    }

    @Test
    void transactionalProducerHasTransactionSettings() {
        Properties p =
                ProducerSettings.of(PLAIN, "intake").transactional("intake-0").properties();
        assertThat(text(p))
                .contains(
                        entry("transactional.id", "intake-0"),
                        entry("transaction.timeout.ms", "5000"),
                        entry("max.in.flight.requests.per.connection", "1"));
        assertThat(ProducerConfig.configNames()).containsAll(p.stringPropertyNames());
    }

    @Test
    void consumerHasDocumentedSettings() {
        Properties p =
                ConsumerSettings.of(PLAIN, "console-0").inGroup("console").properties();
        assertThat(text(p))
                .containsOnly(
                        entry("bootstrap.servers", "127.0.0.1:9092"),
                        entry("enable.metrics.push", "false"),
                        entry("client.id", "console-0"),
                        entry("isolation.level", "read_committed"),
                        entry("enable.auto.commit", "false"),
                        entry("auto.offset.reset", "earliest"),
                        entry("allow.auto.create.topics", "false"),
                        entry("group.id", "console"),
                        entry("group.instance.id", "console-0"),
                        entry("session.timeout.ms", "10000"),
                        entry("heartbeat.interval.ms", "3000"));
        assertThat(ConsumerConfig.configNames()).containsAll(p.stringPropertyNames());
        assertThat(text(ConsumerSettings.of(PLAIN, "console-0").properties()))
                .doesNotContainKeys("group.id", "group.instance.id");
    }

    @Test
    void consumerWithFetchWaitLeavesFetchOpen() {
        Properties p = ConsumerSettings.of(PLAIN, "console-0")
                .withFetchWait(Duration.ofSeconds(2))
                .inGroup("console")
                .properties();
        assertThat(text(p)).contains(entry("fetch.max.wait.ms", "2000"));
        assertThat(ConsumerConfig.configNames()).containsAll(p.stringPropertyNames());
    }

    @Test
    void streamHasDocumentedSettings() {
        Properties p = StreamSettings.of(PLAIN, "allocator", "allocator-0", Path.of("state"), Duration.ofMillis(7))
                .properties();
        assertThat(text(p))
                .containsOnly(
                        entry("bootstrap.servers", "127.0.0.1:9092"),
                        entry("enable.metrics.push", "false"),
                        entry("application.id", "allocator"),
                        entry("client.id", "allocator-0"),
                        entry("state.dir", "state"),
                        entry("num.stream.threads", "1"),
                        entry("replication.factor", "-1"),
                        entry("ensure.explicit.internal.resource.naming", "true"),
                        entry("processing.guarantee", "exactly_once_v2"),
                        entry("commit.interval.ms", "7"),
                        entry("poll.ms", "5"),
                        entry("statestore.cache.max.bytes", "0"),
                        entry("producer.linger.ms", "20"),
                        entry("producer.retry.backoff.ms", "2"),
                        entry("producer.retry.backoff.max.ms", "20"),
                        entry("producer.max.in.flight.requests.per.connection", "1"),
                        entry("producer.transaction.timeout.ms", "5000"),
                        entry("group.protocol", "classic"),
                        entry("main.consumer.group.instance.id", "allocator-0"),
                        entry("main.consumer.session.timeout.ms", "10000"),
                        entry("main.consumer.heartbeat.interval.ms", "3333"),
                        entry("main.consumer.auto.offset.reset", "none"));
        assertThat(knownNames()).containsAll(p.stringPropertyNames());
        assertThat(new StreamsConfig(p).getString("processing.guarantee")).isEqualTo("exactly_once_v2");
    }

    @Test
    void streamWithFetchWaitLeavesFetchOpen() {
        Properties p = StreamSettings.of(PLAIN, "a", "a-0", Path.of("state"), Duration.ofMillis(5))
                .withFetchWait(Duration.ofSeconds(2))
                .withThreads(2)
                .properties();
        assertThat(text(p)).contains(entry("main.consumer.fetch.max.wait.ms", "2000"));
        assertThat(knownNames()).containsAll(p.stringPropertyNames());
    }

    @Test
    void streamWithMoreThreadsDoesNotRewind() {
        Properties p = StreamSettings.of(PLAIN, "a", "a-0", Path.of("state"), Duration.ofMillis(1))
                .withThreads(2)
                .properties();
        assertThat(text(p))
                .contains(
                        entry("main.consumer.auto.offset.reset", "none"),
                        entry("num.stream.threads", "2"),
                        entry("commit.interval.ms", "1"));
    }

    @Test
    void securityAppliesToEveryClientAndIsHidden() {
        var secured = KafkaConnection.secured("b:9093", Map.of("sasl.jaas.config", "secret"));
        assertThat(text(ProducerSettings.of(secured, "c").properties())).containsEntry("sasl.jaas.config", "secret");
        assertThat(text(StreamSettings.of(secured, "a", "a-0", Path.of("s"), Duration.ofMillis(5))
                        .properties()))
                .containsEntry("sasl.jaas.config", "secret");
        assertThat(secured).asString().doesNotContain("secret");
    }

    @Test
    void rejectsInvalidSettings() {
        assertThatThrownBy(() -> KafkaConnection.plain(" ")).hasMessageContaining("bootstrap is empty");
        assertThatThrownBy(() -> StreamSettings.of(PLAIN, "a", "a-0", Path.of("s"), Duration.ofMillis(5))
                        .withThreads(0))
                .hasMessageContaining("threads is 0");
    }

    private static Set<String> knownNames() {
        Set<String> names = new HashSet<>(StreamsConfig.configDef().names());
        names.add("enable.metrics.push");
        ProducerConfig.configNames().forEach(name -> names.add("producer." + name));
        ConsumerConfig.configNames().forEach(name -> names.add("main.consumer." + name));
        return names;
    }

    private static Map<String, String> text(Properties p) {
        return p.entrySet().stream()
                .collect(Collectors.toMap(
                        each -> String.valueOf(each.getKey()), each -> String.valueOf(each.getValue())));
    }
}
