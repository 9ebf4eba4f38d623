package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.SigningKeyFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code audit verify} and {@code replay} on archives of a small log. */
final class ArchivedLogCommandsTest {
    private static final Instant TIME = Instant.parse("2026-03-01T12:00:00Z");
    private static final int SEGMENT_RECORDS = 5;

    @TempDir
    private Path folder = Path.of("");

    private final SmallLog log = new SmallLog();

    private String archive() {
        Path archive = folder.resolve("archive");
        var limits = new SegmentLimits(SEGMENT_RECORDS, 1 << 20);
        try (var archiver = new Archiver(log, new FolderStore(archive), limits, "0.1", _ -> {})) {
            archiver.run();
        }
        return archive.toString();
    }

    @Test
    void verifyNamesLedgerThatBeginsAfterCheckpoint() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        String checkpoint = folder.resolve("checkpoint.json").toString();
        log.addSnapshots(SEGMENT_RECORDS);
        String archive = archive();
        CommandResult made = CommandResult.run(
                "audit", "checkpoint", "--key", keys.privateKey(), "--out", checkpoint, "--archive", archive);
        assertThat(made.exitCode()).as(made.err()).isZero();
        log.addSnapshots(2 * SEGMENT_RECORDS);
        archive();
        String[] verify = {
            "audit", "verify", "--archive", archive, "--checkpoint", checkpoint, "--key", keys.publicKey()
        };
        CommandResult complete = CommandResult.run(verify);
        assertThat(complete.exitCode()).as(complete.out()).isZero();
        deleteSegment(archive, "00000000000000000000");
        CommandResult next = CommandResult.run(verify);
        assertThat(next.exitCode())
                .as("the ledger begins with the event after the checkpoint: %s", next.out())
                .isZero();
        deleteSegment(archive, "00000000000000000005");
        CommandResult later = CommandResult.run(verify);
        assertThat(later.exitCode()).isEqualTo(3);
        assertThat(later.out().lines())
                .first()
                .asString()
                .startsWith("not compared: cell 0: ledger.v1 begins at offset 10, and the checkpoint of ")
                .contains("Name an archive that has the events with --archive");
        assertThat(later.out()).contains("verified, no finding, 1 not compared with the checkpoint");
    }

    private static void deleteSegment(String archive, String name) throws IOException {
        Path segments = Path.of(archive, "ledger.v1-0");
        Files.delete(segments.resolve(name + ".avro"));
        Files.delete(segments.resolve(name + ".json"));
    }

    @Test
    void verifyComparesWithPublishedCheckpoint() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        log.addSnapshots(2 * SEGMENT_RECORDS);
        String archive = archive();
        CommandResult alone = CommandResult.run("audit", "verify", "--archive", archive);
        assertThat(alone.out())
                .contains("the archive has ledger.v1, partition 0, up to offset 9 at 2026-03-01T12:00:00Z")
                .contains("later segments could be missing: compare with the topics");
        CommandResult made = CommandResult.run(
                "audit", "checkpoint", "--key", keys.privateKey(), "--archive", archive, "--publish", archive);
        assertThat(made.exitCode()).as(made.err()).isZero();
        assertThat(made.out()).startsWith(Path.of(archive, "checkpoints").toString());
        assertThat(CommandResult.run("audit", "verify", "--archive", archive).out())
                .contains("is not compared: name its public key with --key");
        String[] verify = {"audit", "verify", "--archive", archive, "--key", keys.publicKey()};
        CommandResult complete = CommandResult.run(verify);
        assertThat(complete.exitCode()).as(complete.out()).isZero();
        Path last = Path.of(archive, "ledger.v1-0", "00000000000000000005.avro");
        Files.delete(last);
        Files.delete(last.resolveSibling("00000000000000000005.json"));
        CommandResult truncated = CommandResult.run(verify);
        assertThat(truncated.exitCode()).isEqualTo(3);
        assertThat(truncated.out()).startsWith("truncated: ledger.v1, partition 0 (cell 0)");
    }

    @Test
    void signsOnlyLogThatContinuesPublishedCheckpoint() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        log.addSnapshots(2 * SEGMENT_RECORDS);
        String archive = archive();
        String place = folder.resolve("anchor").toString();
        String[] sign = {"audit", "checkpoint", "--key", keys.privateKey(), "--archive", archive, "--publish", place};
        assertThat(CommandResult.run(sign).exitCode()).isZero();
        assertThat(CommandResult.run(sign).exitCode()).as("the log is the same").isZero();
        Path last = Path.of(archive, "ledger.v1-0", "00000000000000000005.avro");
        Files.delete(last);
        Files.delete(last.resolveSibling("00000000000000000005.json"));
        CommandResult truncated = CommandResult.run(sign);
        assertThat(truncated.exitCode()).isEqualTo(1);
        assertThat(truncated.out()).isEmpty();
        assertThat(truncated.err())
                .contains(
                        "does not continue the log of the checkpoint of ",
                        Path.of(place, "checkpoints").toString())
                .containsPattern(
                        "cell 0: the checkpoint has head [0-9a-f]{64} at offset 9 of ledger.v1, and the log ends at offset 4 with head [0-9a-f]{64}")
                .contains("No checkpoint is written.", "--archive", "--new-log", "keep the log and the checkpoint");
        assertThat(published(place)).hasSize(2);
        CommandResult accepted = CommandResult.run(with(sign, "--new-log"));
        assertThat(accepted.exitCode()).as(accepted.err()).isZero();
        assertThat(accepted.err()).startsWith("--new-log: the log at ").contains("ends at offset 4");
        assertThat(CommandResult.run(sign).exitCode())
                .as("the new log continues")
                .isZero();
        assertThat(published(place)).hasSize(4);
    }

    private static List<Path> published(String place) throws IOException {
        try (Stream<Path> files = Files.list(Path.of(place, "checkpoints"))) {
            return files.toList();
        }
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void namesCheckpointOfAnotherKey() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        var others = SigningKeyFiles.create(folder, "other");
        log.addSnapshots(1);
        String archive = archive();
        CommandResult.run(
                "audit", "checkpoint", "--key", others.privateKey(), "--archive", archive, "--publish", archive);
        String[] sign = {"audit", "checkpoint", "--key", keys.privateKey(), "--archive", archive, "--publish", archive};
        CommandResult result = CommandResult.run(sign);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .contains("no checkpoint at %s is signed by the key of %s (".formatted(archive, keys.privateKey()))
                .contains("--earlier-key");
        assertThat(CommandResult.run(with(sign, "--earlier-key", others.publicKey()))
                        .exitCode())
                .isZero();
        assertThat(CommandResult.run(sign).exitCode())
                .as("the last one is signed by the new key")
                .isZero();
        CommandResult verified =
                CommandResult.run("audit", "verify", "--archive", archive, "--key", others.publicKey());
        assertThat(verified.exitCode()).as(verified.out()).isEqualTo(3);
        assertThat(verified.out()).contains("forged checkpoint: ", "is not signed by a known key");
    }

    @Test
    void checkpointNeedsPlace() throws IOException {
        var keys = SigningKeyFiles.create(folder, "key");
        log.addSnapshots(1);
        String[] sign = {"audit", "checkpoint", "--key", keys.privateKey(), "--archive", archive()};
        CommandResult result = CommandResult.run(sign);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("--out or --publish is missing: name a file, or an archive");
        Path file = folder.resolve("checkpoint.json");
        CommandResult uncompared = CommandResult.run(with(sign, "--out", file.toString(), "--new-log"));
        assertThat(uncompared.exitCode()).isEqualTo(1);
        assertThat(uncompared.err()).contains("--new-log and --earlier-key concern the last checkpoint at --publish");
        assertThat(file).doesNotExist();
    }

    @Test
    void namesInvalidLocation() {
        CommandResult unknown = CommandResult.run("audit", "verify", "--archive", "s3://audit?colour=red");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err())
                .contains("s3://audit is not the location of an archive: parameter \"colour\" is unknown")
                .doesNotContain("\tat ");
        CommandResult absent =
                CommandResult.run("replay", "--archive", "s3://audit/a?endpoint=http://127.0.0.1:1&region=eu-1");
        assertThat(absent.exitCode()).isEqualTo(1);
        assertThat(absent.err()).contains("s3://audit/a cannot be read: ").doesNotContain("\tat ");
    }

    @Test
    void replayNamesEventWithoutInput() {
        log.addRebuild();
        log.addSnapshots(1);
        String archive = archive();
        CommandResult result = CommandResult.run("replay", "--archive", archive);
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.out().lines())
                .startsWith(
                        "divergence: cell 0, input 1 of cells.in at 2026-03-01T12:00:00Z: missing input",
                        "  cause:  cells.in, partition 0, ends at offset 1, and the ledger has events of later inputs",
                        "  ledger: snapshot, state hash ",
                        "  replay: no event",
                        "  state:  cell 0: 0 of 0 devices free, pending items: 0");
        CommandResult json = CommandResult.run("replay", "--archive", archive, "-o", "json");
        assertThat(json.exitCode()).isEqualTo(3);
        assertThat(json.out())
                .contains("\"cause\": \"cells.in, partition 0, ends at offset 1")
                .containsPattern("\"state\": \\[\\s+\"cell 0: 0 of 0 devices free, pending items: 0\"\\s+]");
    }

    @Test
    void replayComparesWithSettingsOfFile() throws IOException {
        log.addRebuild();
        String archive = archive();
        CommandResult compared = compare(archive, "claimstream.allocator.policy=first-fit\n");
        assertThat(compared.exitCode()).as(compared.err()).isZero();
        assertThat(compared.out()).contains("1 input from 2026-03-01T12:00:00Z", "0 claims", "never allocated");
        CommandResult invalid = compare(archive, "claimstream.allocator.policy=worst-fit\n");
        assertThat(invalid.exitCode()).isEqualTo(1);
        assertThat(invalid.err()).contains("worst-fit");
        CommandResult unknown = compare(archive, "claimstream.allocator.polisy=first-fit\n");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("claimstream.allocator.polisy is no setting");
        CommandResult missing = CommandResult.run("replay", "--archive", archive, "--settings", "none.yml");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("--settings none.yml: no such file");
    }

    private CommandResult compare(String archive, String settings) throws IOException {
        Path file = Files.writeString(folder.resolve("candidate.properties"), settings);
        return CommandResult.run("replay", "--archive", archive, "--settings", file.toString());
    }

    /** Inputs and ledger of one cell, in memory. */
    private static final class SmallLog implements AuditLog {
        private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

        private final SchemaRegistry registry = SchemaRegistry.inMemory();
        private final AvroSerde<LedgerEvent> events = AvroSerde.of(LedgerEvent.class, registry);
        private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
        private final LedgerChain chain = new LedgerChain(0, NOTHING);
        private final List<LogRecord> records = new ArrayList<>();

        /** Adds events of as many inputs, without the inputs. */
        void addSnapshots(int count) {
            for (int i = 0; i < count; i++) {
                add(chain.snapshot(end(LogVerifier.LEDGER, 0), TIME, NOTHING, "engine"));
            }
        }

        /** Adds a rebuild: an input and its event. */
        void addRebuild() {
            CellInputRecord input = CellInputRecord.newBuilder()
                    .setAt(TIME)
                    .setRebuild(new Rebuild(NOTHING))
                    .build();
            add(LogVerifier.INPUTS, inputs.write(LogVerifier.INPUTS, input));
            add(chain.rebuild(0, TIME, "engine"));
        }

        private void add(LedgerEvent event) {
            add(LogVerifier.LEDGER, events.write(LogVerifier.LEDGER, event));
        }

        private void add(String topic, byte[] value) {
            byte[] key = "0".getBytes(StandardCharsets.UTF_8);
            records.add(new LogRecord(topic, 0, end(topic, 0), TIME, Optional.of(key), Optional.of(value)));
        }

        @Override
        public SortedSet<Integer> partitions(String topic) {
            return end(topic, 0) == 0 ? new TreeSet<>() : new TreeSet<>(List.of(0));
        }

        @Override
        public long begin(String topic, int partition) {
            return 0;
        }

        @Override
        public long end(String topic, int partition) {
            return records.stream().filter(each -> each.topic().equals(topic)).count();
        }

        @Override
        public long offsetAt(String topic, int partition, Instant time) {
            return time.isAfter(TIME) ? end(topic, partition) : 0;
        }

        @Override
        public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
            boolean unused = records.stream()
                    .filter(each -> each.topic().equals(topic) && each.offset() >= from && each.offset() < to)
                    .allMatch(action);
        }

        @Override
        public Optional<Schema> schema(int id) {
            return Optional.of(registry.byId(id));
        }

        @Override
        public String location() {
            return "memory";
        }

        @Override
        public void close() {}
    }
}
