package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.audit.streams.CandidateReplay;
import dev.claimstream.audit.streams.CandidateReport;
import dev.claimstream.audit.streams.CandidateReport.ClaimDifference;
import dev.claimstream.audit.streams.CandidateReport.FirstPlacement;
import dev.claimstream.audit.streams.CandidateReport.UsageSample;
import dev.claimstream.dra.Selectors;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides live traffic under another policy, and compares placements, waiting times and utilisation with the record.
 *
 * <p>It writes nothing. The comparison begins with the process. Each claim that is placed elsewhere has a line in the log; the numbers are
 * metrics, and a sentence in the health.
 */
@Context
@Requires(property = "claimstream.shadow.enabled", value = StringUtils.TRUE)
@Requires(property = "claimstream.shadow.policy")
final class ShadowCandidate {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowCandidate.class);
    private static final double MILLIS = 1000.0;
    private static final long PERCENT = 100;

    private final PlacementPolicy policy;
    private final FollowerThread thread;
    private final SequencedSet<ClaimDifference> logged = new LinkedHashSet<>();
    private volatile Optional<CandidateReport> report = Optional.empty();
    private Optional<Instant> shown = Optional.empty();

    ShadowCandidate(ShadowConfig config, ShadowLog log, Selectors selectors, Meters meters, Health health) {
        policy = Arrays.stream(PlacementPolicy.values())
                .filter(each -> config.policy().equals(each.text()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "claimstream.shadow.policy is %s: use best-fit or first-fit".formatted(config.policy())));
        thread = new FollowerThread("shadow-candidate", config.every(), log::open, opened -> {
            var replay = CandidateReplay.live(opened, selectors, Instant.now(), this::change);
            return () -> {
                replay.advance();
                show(replay);
            };
        });
        health.register("shadow-candidate", this::condition);
        meters.show(
                AllocatorMeter.SHADOW_CLAIMS,
                () -> report.map(ShadowCandidate::claims).orElse(Map.of()));
        meters.show(
                AllocatorMeter.SHADOW_WAIT,
                () -> report.map(each -> sides(
                                seconds(each.recorded().mean()),
                                seconds(each.candidate().mean())))
                        .orElse(Map.of()));
        meters.show(
                AllocatorMeter.SHADOW_DEVICES,
                () -> report.flatMap(ShadowCandidate::last)
                        .map(each -> sides(each.recorded(), each.candidate()))
                        .orElse(Map.of()));
    }

    private CellSettings change(CellSettings recorded) {
        return recorded.toBuilder().policy(policy).build();
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void close() throws InterruptedException {
        thread.close();
    }

    /** Shows the comparison if inputs were replayed since the last call. */
    private void show(CandidateReplay replay) {
        if (replay.at().equals(shown)) {
            return;
        }
        shown = replay.at();
        CandidateReport current = replay.report();
        report = Optional.of(current);
        current.differing().stream()
                .filter(each -> each.recorded().isPresent() && each.candidate().isPresent())
                .filter(logged::add)
                .forEach(each -> LOG.atInfo().log(
                        "{} places claim {} elsewhere: {} instead of {}",
                        policy.text(),
                        each.claim(),
                        text(each.candidate()),
                        text(each.recorded())));
        while (logged.size() > 2 * CandidateReport.DIFFERING_MAX) {
            logged.removeFirst();
        }
    }

    private static String text(Optional<FirstPlacement> placement) {
        return placement
                .map(each -> "node %s %s".formatted(each.node(), each.devices()))
                .orElse("pending");
    }

    private static Map<List<String>, Number> claims(CandidateReport report) {
        CandidateReport.ClaimCounts counts = report.outcomes();
        return Map.of(
                List.of("same"), counts.same(),
                List.of("other-devices"), counts.otherDevices(),
                List.of("other-node"), counts.otherNode(),
                List.of("only-recorded"), counts.onlyRecorded(),
                List.of("only-candidate"), counts.onlyCandidate(),
                List.of("neither"), counts.neither());
    }

    private static Map<List<String>, Number> sides(Number recorded, Number candidate) {
        return Map.of(List.of("recorded"), recorded, List.of("candidate"), candidate);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / MILLIS;
    }

    private static Optional<UsageSample> last(CandidateReport report) {
        return report.timeline().isEmpty()
                ? Optional.empty()
                : Optional.of(report.timeline().getLast());
    }

    private Health.Condition condition() {
        return thread.problem()
                .map(reason -> Health.Condition.degraded("retrying: " + reason))
                .orElseGet(() -> Health.Condition.up(report.map(this::sentence)
                        .orElseGet(() -> "%s is tried on the next inputs".formatted(policy.text()))));
    }

    private String sentence(CandidateReport report) {
        CandidateReport.ClaimCounts counts = report.outcomes();
        return String.format(
                Locale.ROOT,
                "%s places %d of %d claims elsewhere; claims are pending for %.1f s on average instead of %.1f s%s",
                policy.text(),
                counts.elsewhere(),
                counts.claims(),
                seconds(report.candidate().mean()),
                seconds(report.recorded().mean()),
                last(report)
                        .map(each -> "; it uses %d %% of %d devices instead of %d %%"
                                .formatted(
                                        PERCENT * each.candidate() / Math.max(1, each.devices()),
                                        each.devices(),
                                        PERCENT * each.recorded() / Math.max(1, each.devices())))
                        .orElse(""));
    }
}
