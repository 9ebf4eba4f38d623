package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.Topics;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transaction that times out between its last record and its commit, as during a pause of the process. */
class TransactionTimeoutIT {
    private static final String ID = "test-cell";

    @TempDir
    private Path folder = Path.of("");

    /** On this exception, Kafka Streams takes over its tasks again; other exceptions of a commit end the process. */
    @Test
    void reportsTransactionThatTimedOutAsFenced() throws ExecutionException, InterruptedException {
        var harness = AllocatorHarness.create(folder, Map.of(), CellSettings.defaults());
        Map<String, Object> settings = new HashMap<>();
        ProducerSettings.of(harness.kafka(), "test")
                .transactional(ID)
                .properties()
                .forEach((name, value) -> settings.put((String) name, value));
        settings.put("transaction.timeout.ms", "200");
        try (Admin admin = harness.admin();
                var producer = new AdaptivePolling(() -> {}).getProducer(settings)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(Topics.CELLS_IN, 0, new byte[1], new byte[1]))
                    .get();
            AllocatorHarness.await(() -> state(admin) == TransactionState.COMPLETE_ABORT);
            assertThatThrownBy(producer::commitTransaction)
                    .isInstanceOf(ProducerFencedException.class)
                    .hasMessageContaining("timed out");
        } finally {
            harness.close();
        }
    }

    private static TransactionState state(Admin admin) {
        try {
            return admin.describeTransactions(List.of(ID)).description(ID).get().state();
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
