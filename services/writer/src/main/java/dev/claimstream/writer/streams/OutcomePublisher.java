package dev.claimstream.writer.streams;

import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.OutcomeRecord;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes commit outcomes to {@code outcomes.v1}. Usable again after a fault. Not thread-safe, except {@link #problem}. */
public final class OutcomePublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomePublisher.class);

    private final KafkaConnection kafka;
    private final String clientId;
    private final RecordSerde<OutcomeRecord> serde;
    private Optional<Sender> sender = Optional.empty();
    private final FaultLog fault = new FaultLog(LOG, "outcomes not written yet; retrying");

    public OutcomePublisher(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this.kafka = kafka;
        this.clientId = clientId;
        serde = AvroSerde.of(OutcomeRecord.class, registry);
    }

    /**
     * Outcome of one decision.
     *
     * @param outcome name of the outcome in the schema
     * @param message text of the cluster; empty if it sent none
     * @param claimVersion if rejected: highest resourceVersion of the claim that the rejection covers; 0 if unknown
     * @param auditId id of the write in the audit log of the API server; empty if there is none
     */
    public record OutcomeReport(
            String claimUid,
            long decision,
            String outcome,
            String message,
            long claimVersion,
            String auditId,
            Instant at) {}

    /**
     * Publishes outcomes.
     *
     * @return whether all of them are acknowledged; if not, all must be published again
     */
    public boolean publish(List<OutcomeReport> all) {
        try {
            Sender open = sender.orElseGet(() -> new Sender(ProducerSettings.of(kafka, clientId)));
            sender = Optional.of(open);
            all.forEach(report ->
                    open.send(Topics.OUTCOMES, report.claimUid(), serde.write(Topics.OUTCOMES, record(report))));
            open.flush();
            fault.clear();
            return true;
        } catch (KafkaException | RegistryException e) {
            fault.report(AuthorizationFault.textOr(e, kafka));
            sender.ifPresent(Sender::abandon);
            sender = Optional.empty();
            return false;
        }
    }

    /** Why outcomes are not written; empty if the last ones were. Any thread may call it. */
    public Optional<String> problem() {
        return fault.current().map(reason -> "outcomes not written: " + reason);
    }

    private static OutcomeRecord record(OutcomeReport report) {
        return OutcomeRecord.newBuilder()
                .setClaimUid(report.claimUid())
                .setDecisionNumber(report.decision())
                .setOutcome(report.outcome())
                .setMessage(report.message())
                .setClaimVersion(report.claimVersion())
                .setAuditId(report.auditId())
                .setAt(report.at())
                .build();
    }

    @Override
    public void close() {
        sender.ifPresent(Sender::close);
        sender = Optional.empty();
    }
}
