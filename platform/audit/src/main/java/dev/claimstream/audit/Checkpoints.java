package dev.claimstream.audit;

import dev.claimstream.audit.Checkpoint.LedgerState;
import dev.claimstream.audit.Finding.FindingKind;
import dev.claimstream.audit.LogVerifier.Report;
import dev.claimstream.audit.LogVerifier.TimeRange;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Makes checkpoints of a log, compares a log with a checkpoint, and proves that a checkpoint covers an event. */
public final class Checkpoints {
    private Checkpoints() {}

    /** The events of a ledger in a range of offsets, with the tree over their hashes. */
    private static final class LedgerTree {
        private final MerkleTree tree = new MerkleTree();
        private Optional<LogRecord> last = Optional.empty();
        private String head = "";
        private Optional<LogRecord> wanted = Optional.empty();
        private int wantedIndex;

        /** @param offset of the event that will be proven; -1 for none */
        static LedgerTree read(AuditLog log, int cell, long from, long to, long offset) {
            var read = new LedgerTree();
            var reader = new LedgerEntryReader(log::schema);
            log.forEach(LogVerifier.LEDGER, cell, from, to, record -> {
                read.add(record, reader.read(record), offset);
                return true;
            });
            return read;
        }

        private void add(LogRecord record, LedgerEntryReader.ReadResult result, long offset) {
            if (record.offset() == offset) {
                wanted = Optional.of(record);
                wantedIndex = tree.size();
            }
            head = result instanceof LedgerEntryReader.ReadResult.Entry(LedgerEntry entry) ? entry.computedHash() : "";
            tree.add(HexFormat.of().parseHex(head));
            last = Optional.of(record);
        }

        boolean matches(LedgerState state) {
            return tree.size() == state.events()
                    && head.equals(state.head())
                    && Sha256.hex(tree.root()).equals(state.root());
        }
    }

    /**
     * Verifies a log and signs its state.
     *
     * @throws AuditException if the log cannot be read, is not intact, or has no event
     */
    public static Checkpoint make(AuditLog log, Instant time, PrivateKey key) {
        Report report = LogVerifier.verify(log, TimeRange.ALL);
        if (!report.findings().isEmpty()) {
            throw new AuditException(
                    "the log at %s is not intact, and gets no checkpoint: %s. Run claimstream audit verify."
                            .formatted(
                                    log.location(), report.findings().getFirst().text()));
        }
        List<LedgerState> ledgers = new ArrayList<>();
        for (int cell : log.partitions(LogVerifier.LEDGER)) {
            long begin = log.begin(LogVerifier.LEDGER, cell);
            LedgerTree read = LedgerTree.read(log, cell, begin, log.end(LogVerifier.LEDGER, cell), -1);
            read.last.ifPresent(last -> ledgers.add(new LedgerState(
                    cell, begin, last.offset(), read.tree.size(), read.head, Sha256.hex(read.tree.root()))));
        }
        if (ledgers.isEmpty()) {
            throw new AuditException("the log at %s has no event in %s yet: make the checkpoint later"
                    .formatted(log.location(), LogVerifier.LEDGER));
        }
        return Checkpoint.sign(time, ledgers, key);
    }

    /**
     * Compares a log with a checkpoint. Events that retention has deleted since are not compared.
     *
     * @return a finding for each ledger that no longer has the events of the checkpoint
     */
    public static List<Finding> compare(AuditLog log, Checkpoint checkpoint) {
        List<Finding> findings = new ArrayList<>();
        for (LedgerState state : checkpoint.ledgers()) {
            int cell = state.cell();
            boolean isThere = log.partitions(LogVerifier.LEDGER).contains(cell);
            long begin = isThere ? log.begin(LogVerifier.LEDGER, cell) : 0;
            if (begin > state.last()) {
                continue;
            }
            LedgerTree read = isThere
                    ? LedgerTree.read(log, cell, Math.max(begin, state.begin()), state.last() + 1, -1)
                    : new LedgerTree();
            boolean isEqual = begin <= state.begin() ? read.matches(state) : read.head.equals(state.head());
            if (!isEqual) {
                findings.add(new Finding(
                        read.last.filter(last -> last.offset() == state.last()).isPresent()
                                ? FindingKind.CHANGED
                                : FindingKind.TRUNCATED,
                        LogVerifier.LEDGER,
                        cell,
                        state.last(),
                        checkpoint.time(),
                        "the ledger does not have the %d events up to this offset that the checkpoint covers"
                                .formatted(state.events())));
            }
        }
        return findings;
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
        LedgerTree read = LedgerTree.read(log, cell, state.begin(), state.last() + 1, offset);
        if (!read.matches(state)) {
            throw new AuditException(
                    "%s no longer has the events of the checkpoint of %s: name an archive that has them with --archive, or run claimstream audit verify --checkpoint"
                            .formatted(log.location(), checkpoint.time()));
        }
        LogRecord event = read.wanted.orElseThrow(() -> new AuditException(
                "%s, partition %d, has no event at offset %d: use an offset that audit verify or a consumer shows"
                        .formatted(LogVerifier.LEDGER, cell, offset)));
        return new EventProof(
                checkpoint,
                cell,
                read.wantedIndex,
                event.value().orElse(new byte[0]),
                read.tree.path(read.wantedIndex));
    }
}
