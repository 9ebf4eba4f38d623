package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.CandidateReport.UsageSample;
import dev.claimstream.selectors.CelSelectors;
import java.time.Duration;
import java.time.Instant;
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
}
