package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.dra.Selectors;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.wire.CellInputReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A cell that follows the recorded inputs of one partition with {@code Cell.step}. It writes nothing.
 *
 * <p>It begins at the first input, or at the first rebuild if earlier inputs are deleted; for a time, at an archived state
 * if the log has one; for the present state, at the rows of the changelog. Not safe for several threads.
 */
public final class CellFollower {
    private final AuditLog log;
    private final Selectors selectors;
    private final CellIdentity identity;
    private final InputDecoder inputs;
    private final long start;
    private Cell cell;
    private long next;
    private Optional<Instant> at;
    private boolean isPastEnd;

    /**
     * Creates a follower before its first input.
     *
     * @throws AuditException if the log has no inputs of this cell, or neither the first input nor a rebuild
     */
    public CellFollower(AuditLog log, Selectors selectors, CellIdentity identity) {
        this(log, selectors, identity, Optional.empty());
    }

    /** Begins at the newest archived state at or before a time, if the time is present and the log has one. */
    private CellFollower(AuditLog log, Selectors selectors, CellIdentity identity, Optional<Instant> time) {
        this.log = log;
        this.selectors = selectors;
        this.identity = identity;
        inputs = new InputDecoder(log);
        ReplayStart first = ReplayStart.of(log, inputs, selectors, identity, time);
        cell = new Cell(first.state());
        at = first.at();
        start = first.offset();
        next = start;
    }

    private CellFollower(AuditLog log, Selectors selectors, CellIdentity identity, ChangelogRows.StateAtEnd last) {
        this.log = log;
        this.selectors = selectors;
        this.identity = identity;
        inputs = new InputDecoder(log);
        cell = new Cell(last.state());
        at = Optional.of(last.at());
        start = last.offset() + 1;
        next = start;
    }

    /**
     * Creates a follower that has applied the inputs up to the last one at or before a time.
     *
     * @throws AuditException if the first input is later, or no state before the time is known
     */
    public static CellFollower at(AuditLog log, Selectors selectors, CellIdentity identity, Instant time) {
        var follower = new CellFollower(log, selectors, identity, Optional.of(time));
        follower.catchUpTo(time);
        return follower;
    }

    /**
     * Creates a follower of the present state: from the rows that the allocator has stored, which needs no earlier inputs;
     * from the inputs if the log has no such rows.
     *
     * @throws AuditException if the log has neither
     */
    public static CellFollower atEnd(AuditLog log, Selectors selectors, CellIdentity identity) {
        return ChangelogRows.read(log, selectors, identity)
                .map(last -> new CellFollower(log, selectors, identity, last))
                .orElseGet(() -> new CellFollower(log, selectors, identity));
    }

    /** Every cell of a log; none if the log has no inputs. */
    public static List<CellIdentity> cells(AuditLog log) {
        List<Integer> cells = List.copyOf(log.partitions(LogVerifier.INPUTS));
        return cells.stream()
                .map(index -> new CellIdentity(index, cells.size()))
                .toList();
    }

    private Cell emptyCell() {
        return new Cell(new State(selectors, identity));
    }

    /** The cell with the state after the last applied input. A rebuild in the log replaces it. */
    public Cell cell() {
        return cell;
    }

    /** The time of the last applied input; empty before the first one. */
    public Optional<Instant> at() {
        return at;
    }

    /** The offset of the last applied input; one less than the first offset before the first input. */
    public long offset() {
        return next - 1;
    }

    /** Applies all inputs that the log has now. Returns their number. */
    public long catchUp() {
        return apply(Optional.empty());
    }

    /**
     * Applies the inputs up to the last one at or before a time.
     *
     * @throws AuditException if the first input is later
     */
    void catchUpTo(Instant time) {
        apply(Optional.of(time));
        if (at.isEmpty()) {
            throw new AuditException(
                    "%s, partition %d, has no input at or before %s (UTC)%s: name a later time, or an archive with earlier inputs"
                            .formatted(LogVerifier.INPUTS, identity.index(), time, begin()));
        }
    }

    private String begin() {
        List<Instant> first = new ArrayList<>();
        log.forEach(LogVerifier.INPUTS, identity.index(), start, end(), record -> {
            first.add(inputs.decode(record).getAt());
            return false;
        });
        return first.stream()
                .map(time -> "; it begins at %s (UTC)".formatted(time))
                .findFirst()
                .orElse("");
    }

    private long apply(Optional<Instant> last) {
        if (isPastEnd) {
            throw new IllegalStateException("the inputs up to a time are applied: create another follower");
        }
        long before = next;
        long end = end();
        requireNext(end);
        log.forEach(LogVerifier.INPUTS, identity.index(), next, end, record -> {
            CellInputRecord input = inputs.decode(record);
            isPastEnd = last.filter(input.getAt()::isAfter).isPresent();
            if (!isPastEnd) {
                apply(record.offset(), input);
            }
            return !isPastEnd;
        });
        return next - before;
    }

    private void apply(long offset, CellInputRecord input) {
        if (input.getRebuild().isPresent()) {
            cell = emptyCell();
        } else {
            CellInputReader.from(offset, input).ifPresent(cell::step);
        }
        at = Optional.of(input.getAt());
        next = offset + 1;
    }

    private long end() {
        return log.end(LogVerifier.INPUTS, identity.index());
    }

    /** Checks that the log still has the next input: a gap would give another state. */
    private void requireNext(long end) {
        long begin = log.begin(LogVerifier.INPUTS, identity.index());
        if (end < next || (end > next && begin > next)) {
            throw new AuditException(
                    "%s, partition %d, has the offsets %d to %d, and the next input is %d: the topic was created again, or the input was deleted. Start again, to read the state anew."
                            .formatted(LogVerifier.INPUTS, identity.index(), begin, end - 1, next));
        }
    }
}
