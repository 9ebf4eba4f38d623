package dev.claimstream.audit.streams;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CheckpointFiles;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.ForwardingLog;
import dev.claimstream.audit.LegalHold;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import org.apache.avro.Schema;

/**
 * An archive of release 1.0.0 with everything that an archive can have: two cells, router, states, telemetry, a checkpoint and a legal
 * hold. It is never written again.
 *
 * <p>With {@code -Darchive.write=true}, {@link KeptFleetArchiveTest} writes the archive of a new release: change the name of its folder
 * first.
 */
final class KeptFleetArchive {
    static final Path FOLDER = Path.of("src/test/resources/archive-1.0.0-two-cells");
    static final Path KEY = Path.of("src/test/resources/archive-1.0.0-two-cells.pem");
    static final String HOLD = "kept for later releases";
    static final int TELEMETRY_HOURS = 2;
    private static final String RELEASE = "1.0.0";

    private KeptFleetArchive() {}

    /** The archive with its files. */
    static ArchiveLog open() {
        return new ArchiveLog(FOLDER);
    }

    static void write() throws IOException, GeneralSecurityException {
        RecordedFleet fleet = RecordedFleet.random(7, 110);
        fleet.addTelemetry(TELEMETRY_HOURS);
        AuditLog log = withoutDocs(fleet.log());
        var store = new FolderStore(FOLDER);
        try (var archiver = new Archiver(log, store, SegmentLimits.DEFAULT, RELEASE, _ -> {})) {
            archiver.run();
            var states = new SnapshotFold(log, store, RELEASE, _ -> {}).run();
            Instant now = RecordedFleet.START.plus(Duration.ofHours(TELEMETRY_HOURS + 1));
            var hours = new TelemetryArchive(log, store, RELEASE).run(now);
            if (states != RecordedFleet.CELLS || hours != TELEMETRY_HOURS) {
                throw new IllegalStateException("%d states and %d hours".formatted(states, hours));
            }
            KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            try (var archived = open()) {
                var unused = new CheckpointFiles(store).publish(Checkpoints.create(archived, now, keys.getPrivate()));
            }
            Files.writeString(
                    KEY,
                    "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"
                            .formatted(Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                                    .encodeToString(keys.getPublic().getEncoded())));
            new LegalHold(store).set(HOLD);
        }
        Files.delete(FOLDER.resolve("lock"));
    }

    /** The log with schemas without descriptions, which are most of an archive of this size. */
    private static AuditLog withoutDocs(AuditLog log) {
        return new ForwardingLog(log) {
            @Override
            public Optional<Schema> schema(int id) {
                return super.schema(id).map(schema -> {
                    try {
                        JsonNode json = new ObjectMapper().readTree(schema.toString());
                        json.findParents("doc").forEach(each -> ((ObjectNode) each).remove("doc"));
                        return new Schema.Parser().parse(json.toString());
                    } catch (JsonProcessingException e) {
                        throw new IllegalStateException(e);
                    }
                });
            }
        };
    }
}
