package dev.claimstream.kafka.broker;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends decided transactions that are still open in some partition after a kill of the broker.
 *
 * <p>At its start a broker sends the markers of decided transactions again. Kafka 4.3.1 treats a partition without a leader as a deleted
 * partition and skips it (KAFKA-20734), and while the only broker registers, no partition has a leader. Then consumers of committed
 * records, and the group of the transaction, would wait forever.
 */
final class HangingTransactionCleaner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HangingTransactionCleaner.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final String bootstrap;
    private final Admin admin;

    private HangingTransactionCleaner(String bootstrap) {
        this.bootstrap = bootstrap;
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("client.id", "left-open");
        admin = Admin.create(settings);
    }

    private record OpenTransaction(TopicPartition partition, ProducerState producer) {
        boolean isSameAs(OpenTransaction other) {
            return partition.equals(other.partition)
                    && producer.producerId() == other.producer.producerId()
                    && producer.currentTransactionStartOffset().equals(other.producer.currentTransactionStartOffset());
        }
    }

    /** Ends hanging transactions. To be called once, after a start on a folder without a clean shutdown. */
    static void end(String bootstrap) {
        try (var cleaner = new HangingTransactionCleaner(bootstrap)) {
            cleaner.end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end() throws InterruptedException {
        long limit = System.nanoTime() + TIMEOUT.toNanos();
        while (!isComplete()) {
            if (System.nanoTime() > limit) {
                LOG.atWarn()
                        .log(
                                "transactions from before the start may still be open; find and abort them with kafka-transactions.sh");
                return;
            }
            boolean unused = new CountDownLatch(1).await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Checks once. An error, such as for a topic that is being deleted, means another check. */
    private boolean isComplete() throws InterruptedException {
        try {
            return endAll();
        } catch (ExecutionException | IOException e) {
            LOG.atDebug().setCause(e).log("transactions from before the start cannot be listed");
            return false;
        }
    }

    /** Checks all partitions. A transaction that was open before it was complete, and is still open, was skipped. */
    private boolean endAll() throws ExecutionException, InterruptedException, IOException {
        List<OpenTransaction> before = openTransactions();
        if (before.isEmpty()) {
            return true;
        }
        Map<Long, TransactionDescription> transactions = transactions();
        List<OpenTransaction> still = openTransactions().stream()
                .filter(each -> before.stream().anyMatch(each::isSameAs))
                .toList();
        boolean isComplete = true;
        for (OpenTransaction each : still) {
            // a coordinator does not know transactions that it has not loaded yet
            TransactionDescription transaction =
                    transactions.get(each.producer().producerId());
            isComplete &= transaction != null && isSettled(each, transaction);
        }
        return isComplete;
    }

    private boolean isSettled(OpenTransaction open, TransactionDescription transaction) throws IOException {
        boolean isIncluded = transaction.topicPartitions().contains(open.partition());
        return switch (transaction.state()) {
            case PREPARE_COMMIT, PREPARE_ABORT, PREPARE_EPOCH_FENCE, UNKNOWN -> false;
            case ONGOING -> isIncluded || end(open, transaction); // the coordinator ends it after its timeout
            case COMPLETE_COMMIT, COMPLETE_ABORT, EMPTY -> end(open, transaction);
        };
    }

    /** Ends a transaction as it was decided; aborts it if the decision is unknown. */
    private boolean end(OpenTransaction open, TransactionDescription transaction) throws IOException {
        boolean commits = transaction.state() == TransactionState.COMPLETE_COMMIT;
        var marker = new TransactionMarker(
                open.partition(),
                open.producer().producerId(),
                open.producer().producerEpoch(),
                transaction.producerEpoch(),
                open.producer().coordinatorEpoch().orElse(0),
                commits);
        boolean isWritten = marker.writeAt(bootstrap);
        LOG.atWarn()
                .addKeyValue("partition", open.partition())
                .addKeyValue("commits", commits)
                .addKeyValue("written", isWritten)
                .log("a transaction was left open by a broker that was killed");
        return isWritten;
    }

    private List<OpenTransaction> openTransactions() throws ExecutionException, InterruptedException {
        Collection<TopicPartition> partitions = admin
                .describeTopics(admin.listTopics(new ListTopicsOptions().listInternal(true))
                        .names()
                        .get())
                .allTopicNames()
                .get()
                .values()
                .stream()
                .flatMap(topic ->
                        topic.partitions().stream().map(each -> new TopicPartition(topic.name(), each.partition())))
                .toList();
        return admin.describeProducers(partitions).all().get().entrySet().stream()
                .flatMap(each -> each.getValue().activeProducers().stream()
                        .map(producer -> new OpenTransaction(each.getKey(), producer)))
                .filter(each -> each.producer().currentTransactionStartOffset().isPresent())
                .toList();
    }

    /** The transactions by producer id. */
    private Map<Long, TransactionDescription> transactions() throws ExecutionException, InterruptedException {
        List<String> ids = admin.listTransactions().all().get().stream()
                .map(TransactionListing::transactionalId)
                .toList();
        Map<Long, TransactionDescription> transactions = new HashMap<>();
        admin.describeTransactions(ids).all().get().values().forEach(each -> transactions.put(each.producerId(), each));
        return transactions;
    }

    @Override
    public void close() {
        admin.close();
    }
}
