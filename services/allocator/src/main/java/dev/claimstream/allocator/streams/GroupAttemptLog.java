package dev.claimstream.allocator.streams;

import java.time.Instant;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores attempts as committed offsets of a consumer group without members.
 *
 * <p>The committed offset is the offset of the input; the metadata of the commit contains the other fields. So an attempt survives its
 * transaction, its process and its machine, and needs no topic.
 */
final class GroupAttemptLog implements AttemptLog {
    /** The consumer group with the attempts. */
    static final String GROUP = AllocatorTopology.APPLICATION + "-attempts";

    private static final Logger LOG = LoggerFactory.getLogger(GroupAttemptLog.class);

    /** Characters per text. Brokers accept 4,096 bytes of metadata; a character has up to three bytes, and there are two texts. */
    private static final int TEXT_MAX = 600;

    private static final Pattern METADATA = Pattern.compile(
            "attempt=(?<count>[1-9][0-9]{0,8})\tsince=(?<since>\\S+)\tsubject=(?<subject>[^\t]*)\tfailure=(?<failure>[^\t]*)");

    private final GroupOffsets offsets;

    GroupAttemptLog(GroupOffsets offsets) {
        this.offsets = offsets;
    }

    @Override
    public LastAttempt last(TopicPartition log) {
        try {
            return Optional.ofNullable(offsets.committed(GROUP).get(log))
                    .flatMap(GroupAttemptLog::attempt)
                    .<LastAttempt>map(LastAttempt.StoredAttempt::new)
                    .orElseGet(LastAttempt.NoAttempt::new);
        } catch (KafkaException e) {
            LOG.atWarn()
                    .addKeyValue("log", log)
                    .addKeyValue("why", e.getMessage())
                    .log("attempts at inputs cannot be read and are not recorded; retrying");
            return new LastAttempt.UnknownAttempt();
        }
    }

    @Override
    public boolean record(TopicPartition log, InputAttempt attempt) {
        try {
            offsets.commit(GROUP, log, new OffsetAndMetadata(attempt.offset(), metadata(attempt)));
            return true;
        } catch (KafkaException e) {
            LOG.atWarn()
                    .addKeyValue("log", log)
                    .addKeyValue("offset", attempt.offset())
                    .addKeyValue("attempt", attempt.count())
                    .addKeyValue("why", e.getMessage())
                    .log("attempt at an input not recorded");
            return false;
        }
    }

    /** Commits an offset without metadata, which is no attempt. */
    @Override
    public void remove(TopicPartition log) {
        try {
            offsets.commit(GROUP, log, new OffsetAndMetadata(0, ""));
        } catch (KafkaException e) {
            LOG.atWarn()
                    .addKeyValue("log", log)
                    .addKeyValue("why", e.getMessage())
                    .log("attempt at an input not removed");
        }
    }

    static String metadata(InputAttempt attempt) {
        return "attempt=%d\tsince=%s\tsubject=%s\tfailure=%s"
                .formatted(attempt.count(), attempt.since(), text(attempt.subject()), text(attempt.failure()));
    }

    private static String text(String value) {
        String line = value.replaceAll("[\\p{Cntrl}\\p{Cs}]+", " ");
        return line.length() > TEXT_MAX ? line.substring(0, TEXT_MAX) : line;
    }

    /** Parses the metadata; empty if another program has written them. */
    static Optional<InputAttempt> attempt(OffsetAndMetadata committed) {
        Matcher text = METADATA.matcher(committed.metadata());
        return text.matches()
                ? Optional.of(new InputAttempt(
                        committed.offset(),
                        Integer.parseInt(text.group("count")),
                        Instant.parse(text.group("since")),
                        text.group("subject"),
                        text.group("failure")))
                : Optional.empty();
    }
}
