package dev.claimstream.writer.streams;

import dev.claimstream.kafka.GroupMetadata;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicsException;
import java.time.Duration;

/** The version of the cluster that writers store with their committed offsets. A later writer recognises a restore by it. */
public final class StoredVersion {
    /** Consumer group of the writers. */
    public static final String GROUP = "claimstream-writer";

    private StoredVersion() {}

    /**
     * Returns the highest stored version; 0 if there is none.
     *
     * @param timeout timeout of the request
     * @throws TopicsException if the broker does not respond
     */
    public static long read(KafkaConnection kafka, Duration timeout) {
        return GroupMetadata.read(kafka, GROUP, timeout).stream()
                .mapToLong(StoredVersion::parse)
                .max()
                .orElse(0);
    }

    static String text(long version) {
        return version == 0 ? "" : Long.toString(version);
    }

    /** Returns 0 for a text of another program. */
    static long parse(String text) {
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }
}
