package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.CandidateReport.UsageSample;
import dev.claimstream.selectors.CelSelectors;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Comparisons of recorded cells with candidates: the same settings, and another policy. */
final class CandidateReplayTest {
    private static final int STEPS = 400;

    private static CandidateReport compare(MemoryLog log, TimeRange range, UnaryOperator<CellSettings> change) {
        return new CandidateReplay(log, new CelSelectors(), range, change).run();
    }

    private static CellSettings firstFit(CellSettings settings) {
        return settings.toBuilder().policy(PlacementPolicy.FIRST_FIT).build();
    }

    @Test
    void placesClaimsAlikeUnderRecordedSettings() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        CandidateReport report = compare(log, TimeRange.ALL, UnaryOperator.identity());
        assertThat(report.differing()).isEmpty();
        assertThat(report.outcomes().same()).isGreaterThan(50);
        assertThat(report.outcomes().claims())
                .isEqualTo(report.outcomes().same() + report.outcomes().neither());
        assertThat(report.candidate()).isEqualTo(report.recorded());
        assertThat(report.timeline()).hasSizeGreaterThan(10).allSatisfy(each -> {
            assertThat(each.candidate()).isEqualTo(each.recorded());
            assertThat(each.candidateFragmented()).isEqualTo(each.recordedFragmented());
        });
        assertThat(report.timeline()).anyMatch(each -> each.recorded() > each.devices() / 2);
    }

    @Test
    void reportsClaimsThatOtherPolicyPlacesElsewhere() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        CandidateReport report = compare(log, TimeRange.ALL, CandidateReplayTest::firstFit);
        assertThat(report.outcomes().elsewhere()).isPositive();
        assertThat(report.outcomes().otherNode()).isPositive();
        assertThat(report.differing()).anySatisfy(each -> {
            assertThat(each.claim().toString()).startsWith("team/claim-");
            assertThat(each.recorded()).isPresent();
            assertThat(each.candidate()).isPresent().isNotEqualTo(each.recorded());
        });
        assertThat(report.timeline()).allSatisfy(CandidateReplayTest::isConsistent);
    }

    private static void isConsistent(UsageSample sample) {
        assertThat(sample.candidate()).isBetween(0L, sample.devices());
        assertThat(sample.candidateFragmented()).isBetween(0L, sample.devices() - sample.candidate());
    }

    @Test
    void comparesOnlyClaimsOfRange() {
        MemoryLog log = RecordedCell.committing(5, STEPS).log();
        CandidateReport all = compare(log, TimeRange.ALL, CandidateReplayTest::firstFit);
        Instant from = all.from().plus(Duration.between(all.from(), all.to()).dividedBy(2));
        CandidateReport late =
                compare(log, new TimeRange(Optional.of(from), Optional.empty()), CandidateReplayTest::firstFit);
        assertThat(late.from()).isEqualTo(from);
        assertThat(late.outcomes().claims())
                .isPositive()
                .isLessThan(all.outcomes().claims());
        assertThat(late.differing()).allMatch(each -> !each.since().isBefore(from));
        CandidateReport early =
                compare(log, new TimeRange(Optional.empty(), Optional.of(from)), CandidateReplayTest::firstFit);
        assertThat(early.to()).isBeforeOrEqualTo(from);
        assertThat(early.inputs()).isLessThan(all.inputs());
    }

    /** A log that grows gives the same comparison as the whole log, however it grows. */
    @Test
    void followsGrowingLog() {
        MemoryLog whole = RecordedCell.committing(5, STEPS).log();
        Instant start = Instant.parse("2026-01-01T00:01:00Z");
        MemoryLog growing = whole.copy();
        growing.of(LogVerifier.LEDGER, 0).clear();
        growing.of(LogVerifier.INPUTS, 0)
                .subList(1, whole.of(LogVerifier.INPUTS, 0).size())
                .clear();
        CandidateReplay live = CandidateReplay.live(growing, new CelSelectors(), start, CandidateReplayTest::firstFit);
        int last = (int) LogReplayTest.event(whole.of(LogVerifier.LEDGER, 0).getLast(), whole)
                .getOffset();
        for (int inputs = 1; inputs <= last; inputs += 23) {
            grow(growing, whole, Math.min(inputs, last) + 1);
            live.advance();
            assertThat(live.report()).as("asked twice").isEqualTo(live.report());
        }
        grow(growing, whole, last + 1);
        live.advance();
        CandidateReport expected =
                compare(growing, new TimeRange(Optional.of(start), Optional.empty()), CandidateReplayTest::firstFit);
        assertThat(live.report()).isEqualTo(expected);
        assertThat(expected.outcomes().elsewhere()).isPositive();
        assertThat(live.at()).contains(expected.to());
    }

    /** Adds records of the whole log up to an input, and the events of these inputs. */
    private static void grow(MemoryLog growing, MemoryLog whole, int inputs) {
        List<LogRecord> known = growing.of(LogVerifier.INPUTS, 0);
        known.addAll(whole.of(LogVerifier.INPUTS, 0).subList(known.size(), Math.max(known.size(), inputs)));
        List<LogRecord> events = growing.of(LogVerifier.LEDGER, 0);
        whole.of(LogVerifier.LEDGER, 0).stream()
                .skip(events.size())
                .filter(each -> LogReplayTest.event(each, whole).getOffset() < inputs)
                .toList()
                .forEach(events::add);
    }
}
