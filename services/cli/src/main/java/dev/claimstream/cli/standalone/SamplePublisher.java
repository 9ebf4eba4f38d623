package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.TelemetryRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes the samples of a file again and again. They are no heartbeats of nodes, so that no node is silent when they stop. */
final class SamplePublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SamplePublisher.class);
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    /** Stands for the node whose agent sends the samples. */
    private static final String SENDER = "telemetry-file";

    private static final long GIB = 1L << 30;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final SampleFile samples;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<TelemetryRecord> values;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("telemetry-file").daemon().factory());

    private SamplePublisher(SampleFile samples, Endpoint up) {
        this.samples = samples;
        producer = new KafkaProducer<>(
                KafkaConnection.plain(up.bootstrap()).properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        values = AvroSerde.of(TelemetryRecord.class, new RestRegistry(RestRegistry.RegistrySettings.of(up.registry())));
    }

    static SamplePublisher start(SampleFile samples, Endpoint up) {
        var publisher = new SamplePublisher(samples, up);
        var unused =
                publisher.clock.scheduleWithFixedDelay(publisher::publish, 0, INTERVAL.toSeconds(), TimeUnit.SECONDS);
        return publisher;
    }

    private void publish() {
        try {
            var record = TelemetryRecord.newBuilder()
                    .setNode(SENDER)
                    .setAt(Instant.now().truncatedTo(ChronoUnit.MICROS))
                    .setSamples(samples.lines().stream()
                            .map(SamplePublisher::sample)
                            .toList())
                    .build();
            var unused = producer.send(new ProducerRecord<>(
                    Topics.TELEMETRY, SENDER.getBytes(StandardCharsets.UTF_8), values.write(Topics.TELEMETRY, record)));
        } catch (RuntimeException e) {
            LOG.warn("telemetry not published; retrying", e);
        }
    }

    private static DeviceSample sample(SampleFile.SampleLine each) {
        var sample = DeviceSample.newBuilder()
                .setDevice(new DeviceIdRecord(
                        each.device().driver(),
                        each.device().pool(),
                        each.device().device()))
                .setUtilizationPercent((double) each.percent());
        each.usedGib().ifPresent(used -> sample.setMemoryUsedBytes(used * GIB));
        each.totalGib().ifPresent(total -> sample.setMemoryTotalBytes(total * GIB));
        each.watts().ifPresent(watts -> sample.setPowerWatts((double) watts));
        return sample.build();
    }

    @Override
    public void close() {
        clock.shutdownNow();
        producer.close(CLOSE_TIMEOUT);
    }
}
