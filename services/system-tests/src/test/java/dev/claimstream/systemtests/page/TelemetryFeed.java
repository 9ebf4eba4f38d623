package dev.claimstream.systemtests.page;

import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.DeviceSample;
import dev.claimstream.schemas.TelemetryRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Publishes telemetry of nodes, as their agents do. */
final class TelemetryFeed implements AutoCloseable {
    private static final long GIB = 1L << 30;

    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<TelemetryRecord> values;

    TelemetryFeed(Endpoint up) {
        Properties properties = KafkaConnection.plain(up.bootstrap()).properties();
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        values = AvroSerde.of(TelemetryRecord.class, new RestRegistry(RestRegistry.RegistrySettings.of(up.registry())));
    }

    /** Publishes one sample of each device of a node. */
    void send(String node, List<DeviceId> devices, double utilizationPercent) {
        var record = TelemetryRecord.newBuilder()
                .setNode(node)
                .setAt(Instant.now().truncatedTo(ChronoUnit.MICROS))
                .setSamples(devices.stream()
                        .map(device -> sample(device, utilizationPercent))
                        .toList())
                .build();
        var unused = producer.send(new ProducerRecord<>(
                Topics.TELEMETRY, node.getBytes(StandardCharsets.UTF_8), values.write(Topics.TELEMETRY, record)));
    }

    private static DeviceSample sample(DeviceId device, double utilizationPercent) {
        return DeviceSample.newBuilder()
                .setDevice(new DeviceIdRecord(device.driver(), device.pool(), device.device()))
                .setUtilizationPercent(utilizationPercent)
                .setMemoryUsedBytes(Math.round(0.8 * utilizationPercent) * GIB)
                .setMemoryTotalBytes(80 * GIB)
                .setPowerWatts(100 + 5 * utilizationPercent)
                .build();
    }

    void flush() {
        producer.flush();
    }

    @Override
    public void close() {
        producer.close();
    }
}
