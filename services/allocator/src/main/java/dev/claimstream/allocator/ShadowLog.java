package dev.claimstream.allocator;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import io.micronaut.context.annotation.Value;
import jakarta.inject.Singleton;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the log for a shadow. It has consumers only, and no group. */
@Singleton
final class ShadowLog {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowLog.class);

    private final Optional<String> archive;
    private final KafkaConnection kafka;
    private final SchemaRegistry registry;

    ShadowLog(@Value("${claimstream.archive.folder:}") String archive, KafkaConnection kafka, SchemaRegistry registry) {
        this.archive = Optional.of(archive).filter(each -> !each.isEmpty());
        this.kafka = kafka;
        this.registry = registry;
    }

    /** The topics, after the archive if there is one: it has states where a shadow can begin. */
    AuditLog open() {
        var topics = new TopicLog(kafka, registry, "claimstream-shadow");
        try {
            return archive.<AuditLog>map(
                            location -> new JoinedLog(ArchiveLog.strict(ArchiveStore.of(location)), topics))
                    .orElse(topics);
        } catch (AuditException e) {
            LOG.atInfo().log("the shadow begins without the archive: {}", e.getMessage());
            return topics; // the archive may not have a segment yet
        }
    }
}
