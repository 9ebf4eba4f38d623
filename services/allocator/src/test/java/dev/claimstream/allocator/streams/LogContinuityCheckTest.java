package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PendingDecision;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Continuity check for each way in which state, log, offset and published outputs can differ. */
final class LogContinuityCheckTest {
    private static final Optional<StateHeader> STATE =
            Optional.of(StateHeader.initial(StateFormat.CURRENT, "engine", "log-1"));
    private static final CellLog.PublicationStatus NOTHING =
            new CellLog.PublicationStatus(0, Optional.empty(), Optional.empty());

    /** A log with an input at every offset between its begin and its end. */
    private record FullLog(LogPosition logPosition, PublicationStatus published) implements CellLog {
        @Override
        public PublicationStatus publicationStatus(TopicPartition ledger, Predicate<DecisionRecord> isPublished) {
            assertThat(ledger).isEqualTo(new TopicPartition("ledger.v1", 3));
            return new PublicationStatus(
                    published.ledgerBegin(),
                    published.last(),
                    published.missing().filter(isPublished));
        }

        @Override
        public LogPosition position(TopicPartition log) {
            return logPosition;
        }

        @Override
        public boolean hasInputs(TopicPartition log, long from, long to) {
            return Math.max(from, logPosition.begin()) < Math.min(to, logPosition.end());
        }

        @Override
        public boolean isRebuild(TopicPartition log, long offset) {
            return false;
        }
    }

    private static FullLog log(String id, long begin, long end, long committed) {
        return new FullLog(new CellLog.LogPosition(id, begin, end, OptionalLong.of(committed)), NOTHING);
    }

    private static void check(FullLog log, Optional<StateHeader> note, long applied) {
        var check = LogContinuityCheck.ofCell(3, log);
        note.ifPresent(header -> check.checkFormat(header, StateFormat.CURRENT));
        check.check(log.logPosition, note, applied);
    }

    @Test
    void acceptsFirstStart() {
        assertThatCode(() -> check(log("log-1", 0, 0, 0), Optional.empty(), -1)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 0, 100, 0), Optional.empty(), -1))
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsStateAtItsOffset() {
        assertThatCode(() -> check(log("log-1", 0, 100, 50), STATE, 49)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 50, 100, 50), STATE, 49)).doesNotThrowAnyException();
        assertThatCode(() -> check(log("log-1", 0, 50, 50), STATE, 49)).doesNotThrowAnyException();
    }

    /** An operator may reset the offset: inputs that were applied are skipped. */
    @Test
    void acceptsOffsetBeforeState() {
        assertThatCode(() -> check(log("log-1", 0, 100, 0), STATE, 49)).doesNotThrowAnyException();
    }

    @Test
    void rejectsEmptyStateWithCommittedOffset() {
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.empty(), -1))
                .isInstanceOf(LogContinuityException.class)
                .hasMessageContaining("cell 3: its state is empty, and inputs up to offset 49 were applied")
                .hasMessageContaining("claimstream.allocator.rebuild=true");
    }

    @Test
    void rejectsEmptyStateOfTruncatedLog() {
        assertThatThrownBy(() -> check(log("log-1", 10, 100, 10), Optional.empty(), -1))
                .hasMessageContaining("the log begins at offset 10");
    }

    @Test
    void rejectsLogThatBeginsAfterState() {
        assertThatThrownBy(() -> check(log("log-1", 60, 100, 60), STATE, 49))
                .hasMessageContaining(
                        "the log begins at offset 60, and its state has applied inputs only up to offset 49");
    }

    @Test
    void rejectsLogThatEndsBeforeState() {
        assertThatThrownBy(() -> check(log("log-1", 0, 49, 50), STATE, 49))
                .hasMessageContaining("the log ends at offset 49, and its state has applied offset 49");
    }

    /** The new topic is rejected whatever its record count. */
    @Test
    void rejectsRecreatedTopic() {
        assertThatThrownBy(() -> check(log("log-2", 0, 100, 50), STATE, 49))
                .hasMessageContaining("cells.in was deleted and recreated")
                .hasMessageContaining("id log-1, now log-2");
    }

    @Test
    void rejectsStateBehindCommittedOffset() {
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 60), STATE, 49))
                .hasMessageContaining("applied inputs up to offset 49, and its group has committed 60");
    }

    @Test
    void rejectsStateOfUnsupportedFormat() {
        var older = new StateHeader(0, "engine", "log-1", -1, ByteBuffer.allocate(0));
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.of(older), 49))
                .hasMessageContaining("its state has format 0, this program reads formats 4 to 4");
    }

    @Test
    void rejectsPreviousAndLaterFormat() {
        var before =
                new StateHeader(StateFormat.CURRENT.oldestRead() - 1, "engine", "log-1", -1, ByteBuffer.allocate(0));
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.of(before), 49))
                .hasMessageContaining("its state has format 3, this program reads formats 4 to 4");
        assertThat(before.withEngine("engine", StateFormat.CURRENT).format()).isEqualTo(StateFormat.CURRENT.written());
        var later = new StateHeader(StateFormat.CURRENT.written() + 1, "engine", "log-1", -1, ByteBuffer.allocate(0));
        assertThatThrownBy(() -> check(log("log-1", 0, 100, 50), Optional.of(later), 49))
                .hasMessageContaining("its state has format 5, this program reads formats 4 to 4");
    }

    /** Rows of another format cannot be read, but their log and their ledger can be checked before a rebuild. */
    @Test
    void checksLogAndLedgerOfOtherFormat() {
        var later = new StateHeader(StateFormat.CURRENT.written() + 1, "engine", "log-1", -1, ByteBuffer.allocate(0));
        var check = LogContinuityCheck.ofCell(3, log("log-1", 0, 100, 50));
        assertThatCode(() -> check.checkOtherFormat(log("log-1", 0, 100, 50).logPosition, later))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> check.checkOtherFormat(log("log-2", 0, 100, 50).logPosition, later))
                .hasMessageContaining("was deleted and recreated");
        assertThatThrownBy(() -> check.checkOtherFormat(
                        log("log-1", 0, 100, 50).logPosition, later.withLedger(ByteBuffer.wrap(new byte[] {1}))))
                .hasMessageContaining("events are lost");
    }

    @Test
    void rejectsRowWithKeyOfOtherFormat() {
        LogContinuityCheck.checkKey("claim-fanout/a/b", "claim-fanout/a/b");
        assertThatThrownBy(() -> LogContinuityCheck.checkKey("told/a/b", "claim-fanout/a/b"))
                .isInstanceOf(LogContinuityException.class)
                .hasMessageContaining("row told/a/b of the state cannot be read")
                .hasMessageContaining("its key is claim-fanout/a/b")
                .hasMessageContaining("claimstream.allocator.rebuild=true");
    }

    // ---- published outputs

    private static final LedgerEvent EVENT =
            new LedgerChain(3, ByteBuffer.allocate(0)).rebuild(49, Instant.EPOCH, "engine");

    private static final DecisionRecord DECISION = DecisionRecord.newBuilder()
            .setCell(3)
            .setNumber(12)
            .setAt(Instant.EPOCH)
            .setClaimUid("uid-a")
            .setNamespace("team")
            .setName("a")
            .setItem(new ItemIdRecord("claim", "team", "a"))
            .setReleased(true)
            .build();

    private static void checkPublished(
            CellLog.PublicationStatus status, ByteBuffer hash, Predicate<DecisionRecord> isPublished) {
        var log = new FullLog(new CellLog.LogPosition("log-1", 0, 50, OptionalLong.of(50)), status);
        LogContinuityCheck.ofCell(3, log)
                .checkPublished(
                        StateHeader.initial(StateFormat.CURRENT, "engine", "log-1")
                                .withLedger(hash),
                        isPublished);
    }

    private static CellLog.PublicationStatus publicationStatus(long begin, Optional<LedgerEvent> last) {
        return new CellLog.PublicationStatus(begin, last, Optional.empty());
    }

    @Test
    void acceptsLedgerThatEndsAtHashOfState() {
        assertThatCode(() -> checkPublished(publicationStatus(0, Optional.of(EVENT)), EVENT.getHash(), _ -> true))
                .doesNotThrowAnyException();
    }

    /** Rows of an older format have no ledger hash. */
    @Test
    void acceptsEveryLedgerForStateWithoutLedgerHash() {
        assertThatCode(() ->
                        checkPublished(publicationStatus(0, Optional.of(EVENT)), ByteBuffer.allocate(0), _ -> true))
                .doesNotThrowAnyException();
        assertThatCode(() -> checkPublished(publicationStatus(0, Optional.empty()), ByteBuffer.allocate(0), _ -> true))
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsLedgerWithOnlyExpiredEvents() {
        assertThatCode(() -> checkPublished(publicationStatus(10, Optional.empty()), EVENT.getHash(), _ -> true))
                .doesNotThrowAnyException();
    }

    @Test
    void rejectsLedgerThatEndsAtOtherHash() {
        var further = ByteBuffer.wrap(new byte[] {1, 2, 3});
        assertThatThrownBy(() -> checkPublished(publicationStatus(0, Optional.of(EVENT)), further, _ -> true))
                .isInstanceOf(LogContinuityException.class)
                .hasMessageContaining(
                        "cell 3: topic ledger.v1, partition 3, ends with event 0 of the input at offset 49, and its"
                                + " state has written a later event: events are lost and cannot be restored")
                .hasMessageContaining("claimstream.allocator.rebuild=true");
        assertThatThrownBy(() -> checkPublished(publicationStatus(0, Optional.empty()), further, _ -> true))
                .hasMessageContaining("cell 3: topic ledger.v1, partition 3, is empty, and its state has written");
    }

    @Test
    void rejectsLedgerDecisionMissingFromDecisionsTopic() {
        var status = new CellLog.PublicationStatus(0, Optional.of(EVENT), Optional.of(DECISION));
        assertThatThrownBy(() -> checkPublished(status, EVENT.getHash(), _ -> true))
                .hasMessageContaining(
                        "cell 3: decision 12 on claim team/a is in topic ledger.v1, but not in topic decisions.v1")
                .hasMessageContaining("claimstream.allocator.rebuild=true");
        assertThatCode(() -> checkPublished(status, EVENT.getHash(), _ -> false))
                .doesNotThrowAnyException();
    }

    @Test
    void laterDecisionHasHigherNumberOrIsRelease() {
        DecisionRecord pending = DecisionRecord.newBuilder(DECISION)
                .setReleased(false)
                .setPending(new PendingDecision("NoDevices", "none"))
                .build();
        DecisionRecord next = DecisionRecord.newBuilder(pending).setNumber(13).build();
        assertThat(PublishedOutputReader.isLater(DECISION, pending)).isTrue();
        assertThat(PublishedOutputReader.isLater(pending, DECISION)).isFalse();
        assertThat(PublishedOutputReader.isLater(next, DECISION)).isTrue();
        assertThat(PublishedOutputReader.isLater(DECISION, next)).isFalse();
        assertThat(PublishedOutputReader.isLater(DECISION, DECISION)).isFalse();
    }
}
