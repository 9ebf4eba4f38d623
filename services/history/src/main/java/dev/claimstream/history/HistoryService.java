package dev.claimstream.history;

import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.history.streams.HistoryConsumer;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.HistoryMeter;
import dev.claimstream.observability.Meters;
import dev.claimstream.process.access.AccessSettings;
import dev.claimstream.process.access.HttpAccessFilter;
import dev.claimstream.process.http.ListenException;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.env.Environment;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The history as a service: it follows the topics and answers questions over HTTP. */
@Context
@Requires(property = "claimstream.history.enabled", value = "true")
final class HistoryService {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryService.class);
    private static final int THREADS = 2;

    private final HistoryConsumer consumer;
    private final HistoryServer server;

    HistoryService(
            KafkaConnection kafka,
            SchemaRegistry registry,
            Health health,
            Meters meters,
            @Value("${claimstream.history.folder}") Path folder,
            @Value("${claimstream.history.archive:}") String archive,
            Environment settings,
            @Value("${claimstream.history.host:127.0.0.1}") String host,
            @Value("${claimstream.history.allowed-hosts:}") List<String> allowedHosts,
            @Value("${claimstream.history.port:8412}") int port,
            @Value("${claimstream.history.memory:512MB}") String memory,
            @Value("${claimstream.history.cost-weights:}") String costWeights,
            @Value("${claimstream.history.names-keep:0s}") Duration namesKeep) {
        Path exports = folder.resolve("exports");
        deleteExports(exports);
        consumer = new HistoryConsumer(
                kafka,
                registry,
                new StoreSettings(Optional.of(folder.resolve("history.db")), exports, memory, THREADS),
                Optional.of(archive).filter(each -> !each.isEmpty()),
                namesKeep);
        server = serve(
                new InetSocketAddress(host, port),
                HistoryRoutes.filter(host, allowedHosts, AccessSettings.gate(settings)),
                costWeights,
                meters);
        health.register("history", this::condition);
        show(meters);
        consumer.start();
    }

    /** Deletes what a killed process has left. */
    private static void deleteExports(Path folder) {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, "export-*")) {
            for (Path each : left) {
                Files.deleteIfExists(each);
            }
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("folder", folder).addKeyValue("why", e).log("old exports cannot be deleted");
        }
    }

    private HistoryServer serve(InetSocketAddress address, HttpAccessFilter access, String costWeights, Meters meters) {
        try {
            HistoryServer started =
                    HistoryServer.start(address, access, consumer::reader, CostWeights.parse(costWeights), meters);
            LOG.atInfo().addKeyValue("address", started.address()).log("the history answers");
            return started;
        } catch (IOException e) {
            throw new ListenException(address.getHostString(), address.getPort(), "claimstream.history", e);
        }
    }

    private void show(Meters meters) {
        meters.showSum(
                HistoryMeter.HISTORY_EVENTS, consumer, each -> each.figures().events());
        meters.showSum(
                HistoryMeter.HISTORY_OVERLAPS, consumer, each -> each.figures().newOverlaps());
        meters.showOne(HistoryMeter.HISTORY_GAPS, () -> consumer.figures().gaps());
        meters.showOne(HistoryMeter.HISTORY_AGE, consumer::ageSeconds);
        meters.showOne(HistoryMeter.HISTORY_LAG, consumer::lag);
        meters.show(
                HistoryMeter.HISTORY_INTERVALS,
                () -> Map.of(
                        List.of("open"), consumer.figures().openIntervals(),
                        List.of("ended"), consumer.figures().endedIntervals()));
    }

    private Health.Condition condition() {
        if (consumer.figures().overlaps() > 0) {
            return Health.Condition.degraded(
                    "%d times one device was allocated to two claims beyond its sharing: see the table device_overlaps of claimstream audit sql"
                            .formatted(consumer.figures().overlaps()));
        }
        if (consumer.figures().gaps() > 0 && consumer.problem().isEmpty()) {
            return Health.Condition.degraded(
                    "%d times topics deleted records before the history folded them: see the table log_gaps of claimstream audit sql. Restore them from an archive: name it with claimstream.history.archive, and delete the folder of the history."
                            .formatted(consumer.figures().gaps()));
        }
        return consumer.problem()
                .map(reason -> consumer.reader().isEmpty()
                        ? Health.Condition.down(reason)
                        : Health.Condition.degraded("answers from the stored events: " + reason))
                .orElseGet(() -> Health.Condition.up("follows the log"));
    }

    @PreDestroy
    void close() {
        server.close();
        consumer.close();
    }
}
