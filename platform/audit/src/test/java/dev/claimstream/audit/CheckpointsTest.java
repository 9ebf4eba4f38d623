package dev.claimstream.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.EventProof.ProvenEvent;
import dev.claimstream.audit.Finding.FindingKind;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.ProofVerifier;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signed checkpoints, proofs of events, and what they find. */
final class CheckpointsTest {
    private static final Instant TIME = Instant.parse("2026-01-02T00:00:00Z");
    private static final int CHANGES = 300;

    private final MemoryLog log = RecordedLogs.of(2, 120);
    private final KeyPair keys = keys();
    private final Checkpoint checkpoint = Checkpoints.create(log, TIME, keys.getPrivate());

    private static KeyPair keys() {
        try {
            return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Finding> findings(AuditLog log, Checkpoint checkpoint) {
        Checkpoints.CheckpointComparison comparison = Checkpoints.compare(log, checkpoint);
        assertThat(comparison.notCompared()).isEmpty();
        return comparison.findings();
    }

    @Test
    void survivesText() {
        Checkpoint read = Checkpoint.of(checkpoint.text());
        assertThat(read).isEqualTo(checkpoint);
        assertThat(read.isSignedBy(keys.getPublic())).isTrue();
        assertThat(read.isSignedBy(keys().getPublic())).isFalse();
        assertThat(findings(log, read)).isEmpty();
    }

    @Test
    void rejectsChangedCheckpoint() {
        String head = checkpoint.ledgers().getFirst().head();
        String other = HexFormat.of().formatHex(new byte[32]);
        assertThat(Checkpoint.of(checkpoint.text().replace(head, other)).isSignedBy(keys.getPublic()))
                .isFalse();
        assertThat(Checkpoint.of(checkpoint.text().replace(TIME.toString(), "2026-01-03T00:00:00Z"))
                        .isSignedBy(keys.getPublic()))
                .isFalse();
        assertThatThrownBy(() -> Checkpoint.of("{}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Checkpoint.of("checkpoint")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void findsDeletedEnd() {
        MemoryLog shorter = log.copy();
        shorter.of(LogVerifier.LEDGER, 1).removeLast();
        assertThat(LogVerifier.verify(shorter, TimeRange.ALL).findings()).isEmpty();
        assertThat(findings(shorter, checkpoint))
                .singleElement()
                .matches(each -> each.kind() == FindingKind.TRUNCATED && each.partition() == 1);
    }

    @Test
    void findsRewrittenEnd() {
        MemoryLog rewritten = log.copy();
        LogRecord forged =
                RecordedLogs.forgedAfter(log.of(LogVerifier.LEDGER, 0).get(118), log);
        rewritten.of(LogVerifier.LEDGER, 0).removeLast();
        rewritten.add(
                LogVerifier.LEDGER,
                0,
                forged.timestamp(),
                forged.key().orElseThrow(),
                forged.value().orElseThrow());
        assertThat(LogVerifier.verify(rewritten, TimeRange.ALL).findings()).isEmpty();
        assertThat(findings(rewritten, checkpoint))
                .singleElement()
                .matches(each -> each.kind() == FindingKind.CHANGED && each.partition() == 0);
    }

    @Test
    void comparesHeadAfterRetention() {
        MemoryLog later = log.copy();
        later.expire(LogVerifier.LEDGER, 0, 50);
        assertThat(findings(later, checkpoint)).isEmpty();
        later.of(LogVerifier.LEDGER, 0).removeLast();
        assertThat(findings(later, checkpoint)).hasSize(1);
    }

    @Test
    void namesLedgerThatBeginsAfterCheckpoint() {
        MemoryLog later = RecordedLogs.of(2, 160);
        later.expire(LogVerifier.LEDGER, 1, 121);
        Checkpoints.CheckpointComparison comparison = Checkpoints.compare(later, checkpoint);
        assertThat(comparison.findings()).isEmpty();
        assertThat(comparison.notCompared())
                .containsExactly(
                        "not compared: cell 1: ledger.v1 begins at offset 121, and the checkpoint of %s ends at offset 119. Name an archive that has the events with --archive, or use a later checkpoint."
                                .formatted(TIME));
    }

    @Test
    void signsOnlyVerifiedEvents() {
        MemoryLog growing = RecordedLogs.of(1, 120);
        Checkpoint made = Checkpoints.create(new ForgedEndLog(growing), TIME, keys.getPrivate());
        assertThat(growing.end(LogVerifier.LEDGER, 0)).isGreaterThan(120);
        assertThat(made.ledgers()).containsExactly(checkpoint.ledgers().getFirst());
    }

    /** A log that gets a forged event behind the end of the ledger each time that a reader asks for this end. */
    private static final class ForgedEndLog extends ForwardingLog {
        private final MemoryLog log;

        ForgedEndLog(MemoryLog log) {
            super(log);
            this.log = log;
        }

        @Override
        public long end(String topic, int partition) {
            long end = super.end(topic, partition);
            if (topic.equals(LogVerifier.LEDGER)) {
                LogRecord forged =
                        RecordedLogs.forgedAfter(log.of(topic, partition).get(7), log);
                log.add(
                        topic,
                        partition,
                        forged.timestamp(),
                        forged.key().orElseThrow(),
                        forged.value().orElseThrow());
            }
            return end;
        }
    }

    @Test
    void rejectsChangedLog() {
        MemoryLog changed = log.copy();
        List<LogRecord> records = new ArrayList<>(changed.of(LogVerifier.LEDGER, 0));
        records.remove(10);
        changed.replace(LogVerifier.LEDGER, 0, records);
        assertThatThrownBy(() -> Checkpoints.create(changed, TIME, keys.getPrivate()))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("is not intact");
        assertThatThrownBy(() -> Checkpoints.prove(changed, checkpoint, 0, 5))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("no longer has the events");
    }

    // ---- the checkpoint before

    private Checkpoint createContinuation(AuditLog present) {
        return Checkpoints.createContinuation(
                present, TIME.plusSeconds(1), keys.getPrivate(), new PublishedCheckpoint(checkpoint, "bucket/1.json"));
    }

    @Test
    void continuesLogOfCheckpoint() {
        MemoryLog later = RecordedLogs.of(2, 160);
        assertThat(createContinuation(later).ledgers()).allMatch(each -> each.last() == 159);
        assertThat(createContinuation(log).ledgers())
                .as("without another event")
                .isEqualTo(checkpoint.ledgers());
        later.expire(LogVerifier.LEDGER, 1, 119);
        assertThat(createContinuation(later).ledger(1).orElseThrow().begin())
                .as("retention up to the last event of the checkpoint")
                .isEqualTo(119);
    }

    @Test
    void doesNotSignRewrittenLog() {
        MemoryLog rewritten = RecordedLogs.of(2, 160);
        int position = 100;
        List<LogRecord> kept =
                new ArrayList<>(rewritten.of(LogVerifier.LEDGER, 0).subList(0, position));
        rewritten.replace(LogVerifier.LEDGER, 0, kept);
        while (rewritten.end(LogVerifier.LEDGER, 0) < 160) {
            LogRecord forged =
                    RecordedLogs.forgedAfter(rewritten.of(LogVerifier.LEDGER, 0).getLast(), log);
            rewritten.add(
                    LogVerifier.LEDGER,
                    0,
                    forged.timestamp(),
                    forged.key().orElseThrow(),
                    forged.value().orElseThrow());
        }
        Checkpoint forged = Checkpoints.create(rewritten, TIME, keys.getPrivate());
        assertThat(forged.ledger(0).orElseThrow().last())
                .as("the chain is intact")
                .isEqualTo(159);
        assertThatThrownBy(() -> createContinuation(rewritten))
                .isInstanceOf(LogReplacedException.class)
                .hasMessageStartingWith(
                        "the log at memory does not continue the log of the checkpoint of %s (bucket/1.json): cell 0: the checkpoint has head %s at offset 119 of ledger.v1, and the log has head "
                                .formatted(
                                        TIME, checkpoint.ledger(0).orElseThrow().head()))
                .hasMessageMatching("(?s).* and the log has head [0-9a-f]{64} there")
                .hasMessageNotContaining("cell 1");
    }

    @Test
    void doesNotSignTruncatedLog() {
        MemoryLog shorter = log.copy();
        shorter.of(LogVerifier.LEDGER, 1).removeLast();
        String head = Checkpoints.create(shorter, TIME, keys.getPrivate())
                .ledger(1)
                .orElseThrow()
                .head();
        assertThatThrownBy(() -> createContinuation(shorter))
                .isInstanceOf(LogReplacedException.class)
                .hasMessageContaining(
                        "cell 1: the checkpoint has head %s at offset 119 of ledger.v1, and the log ends at offset 118 with head %s"
                                .formatted(checkpoint.ledger(1).orElseThrow().head(), head));
    }

    @Test
    void doesNotSignLogThatBeginsLongAfterCheckpoint() {
        MemoryLog later = RecordedLogs.of(2, 160);
        later.expire(LogVerifier.LEDGER, 1, 121);
        assertThatThrownBy(() -> createContinuation(later))
                .hasMessageContaining("cell 1: the checkpoint has head")
                .hasMessageEndingWith("and the log begins after it, at offset 121");
        assertThatThrownBy(() -> createContinuation(RecordedLogs.of(1, 160)))
                .hasMessageEndingWith("and the log has no event of this cell");
    }

    /** Retention has deleted exactly the events of the checkpoint: the next event names its head. */
    @Test
    void continuesWithEventAfterCheckpoint() {
        MemoryLog later = RecordedLogs.of(2, 160);
        later.expire(LogVerifier.LEDGER, 1, 120);
        assertThat(createContinuation(later).ledger(1).orElseThrow().begin()).isEqualTo(120);
        assertThat(findings(later, checkpoint)).isEmpty();
    }

    /** A ledger without events for the time of retention has none left. It keeps its state until it gets one. */
    @Test
    void keepsStateOfLedgerWithoutEvents() {
        MemoryLog idle = log.copy();
        idle.expire(LogVerifier.LEDGER, 1, 120);
        Checkpoint next = createContinuation(idle);
        assertThat(next.ledger(1)).isEqualTo(checkpoint.ledger(1));
        assertThat(next.ledger(0).map(Checkpoint.LedgerState::events)).contains(120L);
        MemoryLog later = RecordedLogs.of(2, 160);
        later.expire(LogVerifier.LEDGER, 1, 120);
        assertThat(Checkpoints.createContinuation(
                                later, TIME.plusSeconds(2), keys.getPrivate(), new PublishedCheckpoint(next, "there"))
                        .ledger(1)
                        .map(Checkpoint.LedgerState::begin))
                .contains(120L);
    }

    /** Neither a copy with a later name nor a forged file hides the last checkpoint: a lock may keep them for years. */
    @Test
    void passesOverForgedFiles(@TempDir Path folder) throws IOException {
        var files = new CheckpointFiles(new FolderStore(folder));
        Path published = Path.of(files.publish(checkpoint));
        Path copy = Files.copy(published, published.resolveSibling("20260103T000000000Z.json"));
        Path text = Files.writeString(published.resolveSibling("20260104T000000000Z.json"), "no checkpoint");
        String foreign = files.publish(Checkpoints.create(log, TIME.plusSeconds(400_000), keys().getPrivate()));
        List<String> passed = new ArrayList<>();
        assertThat(files.last(each -> each.isSignedBy(keys.getPublic()), passed::add)
                        .map(PublishedCheckpoint::checkpoint))
                .contains(checkpoint);
        assertThat(passed).hasSize(3);
        assertThat(passed.get(0)).isEqualTo(foreign + " is not signed by a known key");
        assertThat(passed.get(1)).startsWith(text + " is not a checkpoint: it is not JSON");
        assertThat(passed.get(2))
                .startsWith(copy + " is not a checkpoint: it has the content of checkpoints/20260102T000000000Z.json");
    }

    @Test
    void knowsItsOwnSignature() {
        assertThat(checkpoint.isSignedWith(keys.getPrivate())).isTrue();
        assertThat(checkpoint.isSignedWith(keys().getPrivate())).isFalse();
        assertThat(new Checkpoint(TIME.plusSeconds(1), checkpoint.ledgers(), checkpoint.signature())
                        .isSignedWith(keys.getPrivate()))
                .isFalse();
    }

    @Test
    void provesEveryEvent() {
        for (LogRecord record : log.of(LogVerifier.LEDGER, 1)) {
            EventProof proof = EventProof.of(
                    Checkpoints.prove(log, checkpoint, 1, record.offset()).text());
            ProvenEvent proven = ProofVerifier.verify(proof, keys.getPublic());
            assertThat(proven.entry().input()).isEqualTo(record.offset() / 2 * 2 + 1);
            assertThat(proven.entry().cell()).isEqualTo(1);
        }
    }

    @Test
    void rejectsEachChangedProof() {
        var random = new Random(1);
        EventProof proof = Checkpoints.prove(log, checkpoint, 0, 77);
        for (int i = 0; i < CHANGES; i++) {
            EventProof changed = change(proof, random);
            assertThatThrownBy(() -> ProofVerifier.verify(changed, keys.getPublic()))
                    .as("change %d", i)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ProofVerifier.verify(proof, keys().getPublic()))
                .hasMessageContaining("not signed by this key");
        assertThatThrownBy(() -> Checkpoints.prove(log, checkpoint, 0, 120)).hasMessageContaining("offsets 0 to 119");
        assertThatThrownBy(() -> Checkpoints.prove(log, checkpoint, 7, 0)).hasMessageContaining("other cells only");
    }

    private static EventProof change(EventProof proof, Random random) {
        byte[] event = proof.event().clone();
        List<byte[]> path = new ArrayList<>(proof.path());
        long index = proof.index();
        switch (random.nextInt(4)) {
            case 0 -> event[5 + random.nextInt(event.length - 5)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> {
                int position = random.nextInt(path.size());
                byte[] sibling = path.get(position).clone();
                sibling[random.nextInt(sibling.length)] ^= (byte) (1 << random.nextInt(8));
                path.set(position, sibling);
            }
            case 2 -> path.remove(random.nextInt(path.size()));
            default -> index = (index + 1 + random.nextInt(119)) % 120;
        }
        return new EventProof(proof.checkpoint(), proof.cell(), index, event, path);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 64, 100})
    void treeProvesEachLeaf(int size) {
        var tree = new MerkleTree();
        var root = new MerkleRoot();
        for (int i = 0; i < size; i++) {
            tree.add(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
            root.add(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
            assertThat(root.hex()).isEqualTo(Sha256.hex(tree.root()));
        }
        assertThat(root.size()).isEqualTo(size);
        for (int i = 0; i < size; i++) {
            byte[] content = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
            assertThat(MerkleTree.isIncluded(content, i, size, tree.path(i), tree.root()))
                    .isTrue();
            assertThat(MerkleTree.isIncluded(content, (i + 1) % size, size, tree.path(i), tree.root()))
                    .isEqualTo(size == 1);
        }
    }

    /** Roots of the reference implementation of RFC 6962 for its test vectors. */
    @Test
    void treeEqualsReference() {
        var tree = new MerkleTree();
        assertThat(Sha256.hex(tree.root()))
                .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
                .isEqualTo(new MerkleRoot().hex());
        tree.add(new byte[0]);
        assertThat(Sha256.hex(tree.root()))
                .isEqualTo("6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
        for (String leaf : List.of(
                "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")) {
            tree.add(HexFormat.of().parseHex(leaf));
        }
        assertThat(Sha256.hex(tree.root()))
                .isEqualTo("5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
    }

    @Test
    void readsKeysOfPemFiles(@TempDir Path folder) throws IOException {
        Path key =
                pem(folder.resolve("key.pem"), "PRIVATE KEY", keys.getPrivate().getEncoded());
        Path pub = pem(folder.resolve("pub.pem"), "PUBLIC KEY", keys.getPublic().getEncoded());
        assertThat(Checkpoints.create(log, TIME, AuditKeys.privateKey(key)).isSignedBy(AuditKeys.publicKey(pub)))
                .isTrue();
        assertThatThrownBy(() -> AuditKeys.privateKey(pub))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("-----BEGIN PRIVATE KEY-----");
        assertThatThrownBy(() -> AuditKeys.publicKey(folder.resolve("missing")))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("name a readable PEM file");
        Path wrong = pem(folder.resolve("wrong.pem"), "PUBLIC KEY", new byte[12]);
        assertThatThrownBy(() -> AuditKeys.publicKey(wrong)).hasMessageContaining("is not an Ed25519 key");
    }

    private static Path pem(Path file, String type, byte[] content) throws IOException {
        return Files.writeString(
                file,
                "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                        .formatted(type, Base64.getMimeEncoder().encodeToString(content), type));
    }

    @Test
    void rejectsLogWithoutEvents() {
        MemoryLog empty = RecordedLogs.of(1, 1);
        assertThat(Optional.of(empty.of(LogVerifier.LEDGER, 0)).filter(List::isEmpty))
                .isPresent();
        assertThatThrownBy(() -> Checkpoints.create(empty, TIME, keys.getPrivate()))
                .hasMessageContaining("has no event");
    }
}
