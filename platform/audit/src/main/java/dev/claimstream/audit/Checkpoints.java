package dev.claimstream.audit;

import dev.claimstream.audit.Checkpoint.LedgerState;
import dev.claimstream.audit.Finding.FindingKind;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Makes checkpoints of a log, compares a log with a checkpoint, and proves that a checkpoint covers an event. */
public final class Checkpoints {
    private Checkpoints() {}

    /** Computes the state of a ledger from its events. */
    private static final class LedgerDigest {
        private final MerkleRoot root = new MerkleRoot();
        private Optional<LogRecord> last = Optional.empty();
        private String head = "";

        static LedgerDigest read(AuditLog log, int cell, long from, long to, BiConsumer<LogRecord, byte[]> leaves) {
            var digest = new LedgerDigest();
            var reader = new LedgerEntryReader(log::schema);
            log.forEach(LogVerifier.LEDGER, cell, from, to, record -> {
                leaves.accept(record, digest.add(record, reader.read(record)));
                return true;
            });
            return digest;
        }

        /** Adds an event and returns its leaf; empty for a record that is not an event. */
        byte[] add(LogRecord record, LedgerEntryReader.EntryReadResult result) {
            head = result instanceof LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry entry)
                    ? entry.computedHash()
                    : "";
            last = Optional.of(record);
            byte[] leaf = HexFormat.of().parseHex(head);
            root.add(leaf);
            return leaf;
        }

        Optional<LedgerState> state(int cell, long begin) {
            return last.map(each -> new LedgerState(cell, begin, each.offset(), root.size(), head, root.hex()));
        }

        boolean matches(LedgerState state) {
            return root.size() == state.events()
                    && head.equals(state.head())
                    && root.hex().equals(state.root());
        }
    }

    /**
     * Verifies a log and signs its state. The signed events are those that were verified, as both read each record once.
     *
     * @throws AuditException if the log cannot be read, is not intact, or has no event
     */
    public static Checkpoint create(AuditLog log, Instant time, PrivateKey key) {
        return create(log, time, key, Optional.empty());
    }

    /**
     * Verifies a log, and signs its state if the log continues the log of an earlier checkpoint.
     *
     * <p>It does if each ledger has the head of the checkpoint at its offset, or begins with the event after it. A ledger without any event
     * since keeps its former state. One reading of the log is verified, compared and signed.
     *
     * @throws AuditException if the log cannot be read, or is not intact
     * @throws LogReplacedException if the log does not continue the log of the checkpoint; the message names cells, offsets and heads
     */
    public static Checkpoint createContinuation(
            AuditLog log, Instant time, PrivateKey key, PublishedCheckpoint earlier) {
        return create(log, time, key, Optional.of(earlier));
    }

    private static Checkpoint create(
            AuditLog log, Instant time, PrivateKey key, Optional<PublishedCheckpoint> earlier) {
        Optional<EarlierHeads> heads = earlier.map(EarlierHeads::new);
        Map<Integer, LedgerDigest> digests = new HashMap<>();
        Report report = LogVerifier.verify(log, TimeRange.ALL, (record, result) -> {
            LedgerDigest digest = digests.computeIfAbsent(record.partition(), _ -> new LedgerDigest());
            digest.add(record, result);
            heads.ifPresent(each -> each.add(record, previous(result), digest.head));
        });
        if (!report.findings().isEmpty()) {
            throw new AuditException(
                    "the log at %s is not intact, and gets no checkpoint: %s. Run claimstream audit verify."
                            .formatted(
                                    log.location(), report.findings().getFirst().text()));
        }
        heads.ifPresent(each -> each.check(log));
        Stream<LedgerState> emptied = heads.map(each -> each.emptied(log)).orElse(List.of()).stream();
        List<LedgerState> ledgers = Stream.concat(
                        report.ledgers().stream()
                                .flatMap(each -> Optional.ofNullable(digests.get(each.cell()))
                                        .flatMap(digest -> digest.state(each.cell(), each.begin()))
                                        .stream()),
                        emptied)
                .sorted(Comparator.comparingInt(LedgerState::cell))
                .toList();
        if (ledgers.isEmpty()) {
            throw new AuditException("the log at %s has no event in %s yet: make the checkpoint later"
                    .formatted(log.location(), LogVerifier.LEDGER));
        }
        return Checkpoint.sign(time, ledgers, key);
    }

    private static String previous(LedgerEntryReader.EntryReadResult result) {
        return result instanceof LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry entry)
                ? entry.previousHash()
                : "";
    }

    /**
     * The result of a comparison.
     *
     * @param findings one for each ledger that no longer has the events of the checkpoint
     * @param notCompared one line for each ledger whose events up to the checkpoint are deleted, with the remedy
     */
    public record CheckpointComparison(List<Finding> findings, List<String> notCompared) {
        public CheckpointComparison {
            findings = List.copyOf(findings);
            notCompared = List.copyOf(notCompared);
        }
    }

    /**
     * Compares a log with a checkpoint. If events before the last one of the checkpoint are deleted, only the head is compared: it depends
     * on all events before it. If they are all deleted, the first remaining event must name that head as the hash before it.
     */
    public static CheckpointComparison compare(AuditLog log, Checkpoint checkpoint) {
        List<Finding> findings = new ArrayList<>();
        List<String> notCompared = new ArrayList<>();
        SortedSet<Integer> cells = log.partitions(LogVerifier.LEDGER);
        for (LedgerState state : checkpoint.ledgers()) {
            long begin = cells.contains(state.cell()) ? log.begin(LogVerifier.LEDGER, state.cell()) : 0;
            if (begin > state.last() && follows(log, begin, state)) {
                continue;
            }
            if (begin > state.last()) {
                notCompared.add(
                        "not compared: cell %d: %s begins at offset %d, and the checkpoint of %s ends at offset %d. Name an archive that has the events with --archive, or use a later checkpoint."
                                .formatted(state.cell(), LogVerifier.LEDGER, begin, checkpoint.time(), state.last()));
            } else {
                LedgerDigest read = cells.contains(state.cell())
                        ? LedgerDigest.read(
                                log, state.cell(), Math.max(begin, state.begin()), state.last() + 1, (_, _) -> {})
                        : new LedgerDigest();
                boolean isEqual = begin <= state.begin() ? read.matches(state) : read.head.equals(state.head());
                if (!isEqual) {
                    findings.add(finding(checkpoint, state, read));
                }
            }
        }
        return new CheckpointComparison(findings, notCompared);
    }

    /** Whether the first event of a ledger is the one after the head of a checkpoint. */
    private static boolean follows(AuditLog log, long begin, LedgerState state) {
        var reader = new LedgerEntryReader(log::schema);
        List<String> previous = new ArrayList<>();
        log.forEach(LogVerifier.LEDGER, state.cell(), begin, log.end(LogVerifier.LEDGER, state.cell()), record -> {
            previous.add(previous(reader.read(record)));
            return false;
        });
        return previous.contains(state.head());
    }

    private static Finding finding(Checkpoint checkpoint, LedgerState state, LedgerDigest read) {
        return new Finding(
                read.last.filter(last -> last.offset() == state.last()).isPresent()
                        ? FindingKind.CHANGED
                        : FindingKind.TRUNCATED,
                LogVerifier.LEDGER,
                state.cell(),
                state.last(),
                checkpoint.time(),
                "the ledger does not have the %d events up to this offset that the checkpoint covers"
                        .formatted(state.events()));
    }

    /** The leaves of a ledger, with the event that is proven. */
    private static final class ProofLeaves {
        private final MerkleTree tree = new MerkleTree();
        private final long offset;
        private Optional<LogRecord> event = Optional.empty();
        private int index;

        ProofLeaves(long offset) {
            this.offset = offset;
        }

        void add(LogRecord record, byte[] leaf) {
            if (record.offset() == offset) {
                event = Optional.of(record);
                index = tree.size();
            }
            tree.add(leaf);
        }
    }

    /**
     * Proves that a checkpoint covers an event.
     *
     * @param offset offset of the event in the ledger of the cell
     * @throws AuditException if the checkpoint does not cover the offset, or the log no longer has its events
     */
    public static EventProof prove(AuditLog log, Checkpoint checkpoint, int cell, long offset) {
        LedgerState state = checkpoint
                .ledger(cell)
                .filter(each -> offset >= each.begin() && offset <= each.last())
                .orElseThrow(() -> new AuditException(
                        "the checkpoint of %s does not cover offset %d of cell %d: it covers %s. Use a later checkpoint."
                                .formatted(
                                        checkpoint.time(),
                                        offset,
                                        cell,
                                        checkpoint
                                                .ledger(cell)
                                                .map(each -> "offsets %d to %d".formatted(each.begin(), each.last()))
                                                .orElse("other cells only"))));
        var leaves = new ProofLeaves(offset);
        LedgerDigest read = LedgerDigest.read(log, cell, state.begin(), state.last() + 1, leaves::add);
        if (!read.matches(state)) {
            throw new AuditException(
                    "%s no longer has the events of the checkpoint of %s: name an archive that has them with --archive, or run claimstream audit verify --checkpoint"
                            .formatted(log.location(), checkpoint.time()));
        }
        LogRecord event = leaves.event.orElseThrow(() -> new AuditException(
                "%s, partition %d, has no event at offset %d: use an offset that audit verify or a consumer shows"
                        .formatted(LogVerifier.LEDGER, cell, offset)));
        if (event.isErased()) {
            throw new AuditException(
                    "%s: names were erased in this event, so its bytes prove nothing: prove it from a copy of the archive with names"
                            .formatted(event.position()));
        }
        return new EventProof(
                checkpoint, cell, leaves.index, event.value().orElse(new byte[0]), leaves.tree.path(leaves.index));
    }
}
