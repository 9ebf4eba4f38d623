package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveErasure;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveRetention.RetentionLimits;
import dev.claimstream.audit.ArchiveRetention.RetentionSummary;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LegalHold;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.TelemetryFiles;
import dev.claimstream.audit.TelemetryManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests content, findings and retention of the manifests of archived telemetry. */
final class TelemetrySealTest {
    private static final int HOURS = 4;
    private static final Instant NOW = RecordedFleet.START.plus(Duration.ofHours(HOURS + 1));

    @TempDir
    private Path folder = Path.of("");

    private MemoryLog log;

    @BeforeEach
    void archive() {
        RecordedFleet fleet = RecordedFleet.random(1, 10);
        fleet.addTelemetry(HOURS);
        log = fleet.log();
        try (var archiver = new Archiver(log, new FolderStore(folder), SegmentLimits.DEFAULT, "0.1", _ -> {})) {
            archiver.run();
        }
        assertThat(archiveTelemetry()).isEqualTo(HOURS);
    }

    private int archiveTelemetry() {
        return new TelemetryArchive(log, new FolderStore(folder), "0.1").run(NOW);
    }

    private List<String> problems() {
        try (var archived = new ArchiveLog(folder)) {
            return archived.problems();
        }
    }

    private List<TelemetryManifest> hours() {
        return new TelemetryFiles(new FolderStore(folder)).all();
    }

    private List<TelemetryHour> records() {
        List<TelemetryHour> records = new ArrayList<>();
        TelemetryArchive.forEach(new FolderStore(folder), records::add);
        return records;
    }

    private Path file(int hour, String suffix) {
        return folder.resolve("telemetry/2026-01-01T0%d%s".formatted(hour, suffix));
    }

    @Test
    void manifestNamesOffsetsHashAndSchemas() {
        assertThat(problems()).isEmpty();
        assertThat(hours()).hasSize(HOURS);
        TelemetryManifest second = hours().get(1);
        long perHour = 6L * RecordedFleet.NODES;
        assertThat(second.hour()).isEqualTo(RecordedFleet.START.plus(Duration.ofHours(1)));
        assertThat(second.offsets())
                .containsOnlyKeys(0)
                .containsValue(new TelemetryManifest.OffsetRange(perHour, 2 * perHour));
        assertThat(second.schemas().values()).singleElement().asString().contains("\"name\":\"TelemetryRecord\"");
        assertThat(second.previous()).hasSize(64);
        assertThat(records()).hasSize(HOURS * RecordedFleet.NODES * RecordedFleet.DEVICES);
        assertThat(archiveTelemetry()).isZero();
        try (var archived = new ArchiveLog(folder)) {
            assertThat(archived.ends())
                    .contains("the archive has telemetry up to the hour that ends at 2026-01-01T04:00:00Z");
        }
    }

    @Test
    void findsChangedFile() throws IOException {
        byte[] bytes = Files.readAllBytes(file(1, ".avro"));
        bytes[bytes.length / 2] ^= 1;
        Files.write(file(1, ".avro"), bytes);
        assertThat(problems()).singleElement().asString().startsWith("damaged: " + file(1, ".avro"));
        assertThatThrownBy(this::records).isInstanceOf(AuditException.class).hasMessageStartingWith("damaged: ");
    }

    @Test
    void findsTruncatedFile() throws IOException {
        byte[] bytes = Files.readAllBytes(file(3, ".avro"));
        Files.write(file(3, ".avro"), Arrays.copyOf(bytes, bytes.length - 10));
        assertThat(problems()).singleElement().asString().startsWith("damaged: " + file(3, ".avro"));
    }

    @Test
    void findsMissingFileAndMissingHour() throws IOException {
        Files.delete(file(2, ".avro"));
        assertThat(problems()).singleElement().asString().startsWith("missing: " + file(2, ".avro"));
        Files.delete(file(2, ".json"));
        assertThat(problems())
                .singleElement()
                .asString()
                .startsWith("changed: " + file(1, ".json"))
                .contains("an hour between them is deleted");
    }

    @Test
    void findsChangedManifest() throws IOException {
        String text = Files.readString(file(0, ".json"));
        Files.writeString(file(0, ".json"), text.replace("\"to\" : 36", "\"to\" : 35"));
        assertThat(problems()).singleElement().asString().startsWith("changed: " + file(0, ".json"));
        Files.writeString(file(0, ".json"), text.replace("\"format\" : 1", "\"format\" : 9"));
        assertThat(problems())
                .singleElement()
                .asString()
                .contains("has format 9, and this release reads up to format 1");
        Files.writeString(file(0, ".json"), "{}");
        assertThat(problems()).singleElement().asString().contains("is not the manifest of an hour of telemetry");
    }

    private RetentionSummary retain(Optional<Duration> age, Optional<Long> bytes) {
        return new ArchiveRetention(new FolderStore(folder), new RetentionLimits(age, bytes)).run(NOW);
    }

    @Test
    void deletesOldHours() {
        RetentionSummary summary = retain(Optional.of(Duration.ofMinutes(150)), Optional.empty());
        assertThat(summary.hours()).isEqualTo(2);
        assertThat(summary.bytes()).isPositive();
        assertThat(hours())
                .extracting(TelemetryManifest::hour)
                .containsExactly(
                        RecordedFleet.START.plus(Duration.ofHours(2)), RecordedFleet.START.plus(Duration.ofHours(3)));
        assertThat(file(1, ".avro")).doesNotExist();
        assertThat(problems()).isEmpty();
        assertThat(archiveTelemetry()).as("the last hour stays").isZero();
    }

    @Test
    void sizeCountsTelemetry() {
        RetentionSummary summary = retain(Optional.empty(), Optional.of(1L));
        assertThat(summary.hours()).isEqualTo(HOURS - 1);
        assertThat(hours()).hasSize(1);
    }

    @Test
    void legalHoldKeepsHours() {
        new LegalHold(new FolderStore(folder)).set("inquiry 7");
        assertThat(retain(Optional.of(Duration.ofMinutes(1)), Optional.of(1L)).hours())
                .isZero();
        assertThat(hours()).hasSize(HOURS);
    }

    /** Telemetry has devices and no names of pods, so an erasure leaves it as it is. */
    @Test
    void erasureLeavesTelemetry() {
        List<TelemetryHour> before = records();
        var unused = new ArchiveErasure(new FolderStore(folder)).run(NOW);
        assertThat(records()).isEqualTo(before);
        assertThat(problems()).isEmpty();
        assertThat(before.toString()).doesNotContain("claim-", "team");
    }

    @Test
    void sealsHoursOfEarlierBuild() throws IOException {
        List<TelemetryHour> before = records();
        deleteManifests();
        assertThat(problems()).isEmpty();
        assertThat(records()).isEqualTo(before);
        assertThat(archiveTelemetry()).isZero();
        assertThat(hours()).hasSize(HOURS).allMatch(each -> each.offsets().isEmpty());
        assertThat(problems()).isEmpty();
        assertThat(records()).isEqualTo(before);
    }

    /** A killed run has sealed two of four files: the others must neither vanish nor be read before them. */
    @Test
    void continuesSealingAfterKill() throws IOException {
        List<TelemetryHour> before = records();
        deleteManifests();
        assertThat(archiveTelemetry()).isZero();
        Files.delete(file(2, ".json"));
        Files.delete(file(3, ".json"));
        assertThat(records()).isEqualTo(before);
        assertThat(archiveTelemetry()).isZero();
        assertThat(hours()).hasSize(HOURS).allMatch(each -> each.offsets().isEmpty());
        assertThat(problems()).isEmpty();
        assertThat(records()).isEqualTo(before);
    }

    /** In an object store the name of a file has its hash, so a writer that is killed before its first manifest leaves such a file. */
    @Test
    void doesNotSealFileOfKilledWriter() throws IOException {
        List<TelemetryHour> before = records();
        Files.copy(file(0, ".avro"), file(0, "-0123456789abcdef.avro"));
        for (int hour = 0; hour < HOURS; hour++) {
            Files.delete(file(hour, ".json"));
            Files.delete(file(hour, ".avro"));
        }
        assertThat(records()).isEmpty();
        assertThat(archiveTelemetry()).isEqualTo(HOURS);
        assertThat(hours()).hasSize(HOURS).noneMatch(each -> each.offsets().isEmpty());
        assertThat(records()).isEqualTo(before);
    }

    /** Leaves what a build without manifests has written. */
    private void deleteManifests() throws IOException {
        for (int hour = 0; hour < HOURS; hour++) {
            Files.delete(file(hour, ".json"));
        }
    }
}
