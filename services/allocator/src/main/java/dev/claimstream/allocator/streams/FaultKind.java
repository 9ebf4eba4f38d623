package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.registry.RegistryException;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskCorruptedException;
import org.apache.kafka.streams.errors.TaskMigratedException;

/** Classifies an exception of a stream thread: does it count as a failed attempt at the input? */
enum FaultKind {
    /** Processing the input failed: a bug, no memory, or a record that is too large. */
    INPUT,
    /** The producer is fenced or the transaction was aborted: the input took too long, or the group rebalanced. */
    FENCED,
    /** Kafka, the schema registry or the local disk failed, independently of the input. */
    CLUSTER;

    /** Classifies an exception by its causes, the outermost first. */
    static FaultKind of(Throwable failure) {
        Optional<FaultKind> kind = Optional.empty();
        Throwable cause = failure;
        while (cause != null && kind.isEmpty()) {
            kind = directKind(cause);
            cause = cause.getCause();
        }
        return kind.orElse(INPUT);
    }

    private static Optional<FaultKind> directKind(Throwable cause) {
        return switch (cause) {
            case RegistryException registry -> Optional.of(registry.errorCode().isRetriable() ? CLUSTER : INPUT);
            case TaskMigratedException _,
                    TaskCorruptedException _,
                    ProducerFencedException _,
                    InvalidProducerEpochException _,
                    InvalidPidMappingException _,
                    InvalidTxnStateException _,
                    TransactionAbortedException _,
                    TransactionAbortableException _ -> Optional.of(FENCED);
            case RecordTooLargeException _, RecordBatchTooLargeException _ -> Optional.of(INPUT);
            case SerializationException wrapper when wrapper.getCause() != null -> Optional.empty();
            case SerializationException _ -> Optional.of(INPUT);
            case ProcessorStateException _ -> Optional.of(CLUSTER);
            case StreamsException wrapper when wrapper.getCause() != null -> Optional.empty();
            case KafkaException wrapper
            when wrapper.getClass().equals(KafkaException.class) && wrapper.getCause() != null -> Optional.empty();
            case KafkaException _ -> Optional.of(CLUSTER);
            default -> Optional.empty();
        };
    }
}
