package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.streams.TopicImport.PartitionSummary;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.TopicSetup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes records to empty partitions at given offsets.
 *
 * <p>Offsets without a record are those of transaction markers, in the original too. One such offset is the marker of a
 * transaction with the record before it. Several such offsets are a transaction that is aborted. Offsets before the first
 * record are records that are deleted at the end.
 */
final class PartitionWriter implements AutoCloseable {
    private static final Duration MARKER_WITHIN = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);
    private static final String CLIENT = "claimstream-import";

    private static final byte[] NOTHING = {};
    private static final Set<TransactionState> ENDED =
            Set.of(TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT);

    private final KafkaConnection kafka;
    private final Admin admin;
    private final TopicSetup setup;
    private final KafkaProducer<byte[], byte[]> plain;
    private final KafkaProducer<byte[], byte[]> transactions;
    private final String transaction;

    PartitionWriter(KafkaConnection kafka, Admin admin, TopicSetup setup) {
        this.kafka = kafka;
        this.admin = admin;
        this.setup = setup;
        plain = producer(ProducerSettings.of(kafka, CLIENT).properties());
        transaction = "%s-%s".formatted(CLIENT, UUID.randomUUID());
        Properties settings =
                ProducerSettings.of(kafka, CLIENT).transactional(transaction).properties();
        settings.put("transaction.timeout.ms", Long.toString(MARKER_WITHIN.toMillis()));
        transactions = producer(settings);
        var unused = written(() -> {
            transactions.initTransactions();
            return true;
        });
    }

    private static KafkaProducer<byte[], byte[]> producer(Properties settings) {
        settings.put("linger.ms", "5");
        settings.put("batch.size", "262144");
        settings.put("compression.type", "zstd");
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Writes a partition of a log. It is empty before, and has the same records at the same offsets afterwards. */
    PartitionSummary write(AuditLog log, String topic, int partition) {
        var target = new TargetPartition(new TopicPartition(topic, partition));
        long end = log.end(topic, partition);
        log.forEach(topic, partition, log.begin(topic, partition), end, record -> {
            target.add(record);
            return true;
        });
        return target.end(end);
    }

    /** The records of one partition, the last of which is written when the offset of the next one is known. */
    private final class TargetPartition {
        private final TopicPartition partition;
        private Optional<LogRecord> last = Optional.empty();
        private long begin;
        private long records;

        TargetPartition(TopicPartition partition) {
            this.partition = partition;
        }

        void add(LogRecord record) {
            last.ifPresentOrElse(each -> write(each, record.offset()), () -> fill(record.offset()));
            last = Optional.of(record);
            records++;
        }

        PartitionSummary end(long end) {
            last.ifPresentOrElse(each -> write(each, end), () -> fill(end));
            awaitEnd(end);
            if (begin > 0) {
                setup.await(
                        "deleting the first offsets of " + partition,
                        admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(begin)))
                                .all());
            }
            return new PartitionSummary(partition.topic(), partition.partition(), records, begin, end);
        }

        /** Writes records without content up to the first offset. */
        private void fill(long offset) {
            begin = offset;
            for (long each = 0; each < offset; each++) {
                send(filler());
            }
        }

        /**
         * Writes a record.
         *
         * @param next offset of the next record
         */
        private void write(LogRecord record, long next) {
            long markers = next - record.offset() - 1;
            if (markers == 1) {
                awaitEnd(record.offset());
                transact(() -> {
                    var unused = transactions.send(of(record));
                    transactions.commitTransaction();
                });
                awaitEnd(next);
                return;
            }
            send(of(record));
            if (markers > 1) {
                awaitEnd(record.offset() + 1);
                transact(() -> {
                    for (long each = 1; each < markers; each++) {
                        var unused = transactions.send(filler());
                    }
                    transactions.flush();
                    transactions.abortTransaction();
                });
                awaitEnd(next);
            }
        }

        /** A record that no reader sees. */
        private ProducerRecord<byte[], byte[]> filler() {
            return new ProducerRecord<>(partition.topic(), partition.partition(), 0L, NOTHING, NOTHING);
        }

        private ProducerRecord<byte[], byte[]> of(LogRecord record) {
            return new ProducerRecord<>(
                    partition.topic(),
                    partition.partition(),
                    record.timestamp().toEpochMilli(),
                    record.key().orElse(null),
                    record.value().orElse(null));
        }

        private void send(ProducerRecord<byte[], byte[]> record) {
            var unused = written(() -> plain.send(record));
        }

        /**
         * Makes one transaction. The coordinator has ended the one before it: it may still be at work when the marker is in
         * the partition, and a record of the next transaction could be rejected then.
         */
        private void transact(Runnable requests) {
            awaitCondition(() -> ENDED.contains(setup.await(
                            "reading the state of " + transaction,
                            admin.describeTransactions(List.of(transaction)).description(transaction))
                    .state()));
            var unused = written(() -> {
                transactions.beginTransaction();
                requests.run();
                return true;
            });
        }

        /** Waits until the partition ends at an offset: a marker is written after the response to its transaction. */
        private void awaitEnd(long offset) {
            plain.flush();
            awaitCondition(() -> presentEnd() >= offset);
            long found = presentEnd();
            if (found != offset) {
                throw new AuditException(
                        "%s of %s ends at offset %d instead of %d: another program writes to it, or Kafka lost records. Delete the topics, and import again."
                                .formatted(partition, kafka.bootstrap(), found, offset));
            }
        }

        /** Waits until a condition is met, or until {@link #MARKER_WITHIN} has passed. */
        private void awaitCondition(BooleanSupplier condition) {
            Instant until = Instant.now().plus(MARKER_WITHIN);
            RetryPolicy checks = RetryPolicy.withoutJitter(FIRST_PAUSE, LONGEST_PAUSE);
            while (!condition.getAsBoolean() && Instant.now().isBefore(until)) {
                pause(checks.next());
            }
        }

        private void pause(Duration time) {
            try {
                TimeUnit.MILLISECONDS.sleep(time.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AuditException(
                        "the import of %s was interrupted: delete the topics, and import again".formatted(partition),
                        e);
            }
        }

        private long presentEnd() {
            return setup.await(
                            "reading the end of " + partition,
                            admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                                    .partitionResult(partition))
                    .offset();
        }
    }

    private <T> T written(Supplier<T> request) {
        try {
            return request.get();
        } catch (KafkaException e) {
            throw new AuditException(
                    "writing to %s failed: %s. Check that Kafka is up and that this user may write the topics and transactions."
                            .formatted(kafka.bootstrap(), e.getMessage()),
                    e);
        }
    }

    @Override
    public void close() {
        plain.close(Duration.ofSeconds(5));
        transactions.close(Duration.ofSeconds(5));
    }
}
