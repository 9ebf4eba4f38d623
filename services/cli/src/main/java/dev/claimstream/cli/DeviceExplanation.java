package dev.claimstream.cli;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.CellFollower;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.ManifestCell;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;

/** The device report of one claim or pod, from a log or from manifests. */
record DeviceExplanation(ObjectKey key, boolean isPod) {
    /**
     * Reports on the state of a log.
     *
     * @throws RunFailure if the object does not exist there
     */
    DeviceReport ofLog(StateOption option, Supplier<Path> folder) {
        try (AuditLog log = option.open(folder)) {
            Optional<Instant> last = Optional.empty();
            for (CellFollower follower : option.replay(log)) {
                Instant at = follower.at().orElse(Instant.EPOCH);
                Optional<DeviceReport> report = report(follower.cell().state(), at);
                if (report.isPresent()) {
                    return report.get();
                }
                last = last.filter(at::isBefore).or(() -> Optional.of(at));
            }
            throw new RunFailure("%s as of %s (UTC)"
                    .formatted(missing(), last.map(Instant::toString).orElse("no input")));
        }
    }

    /**
     * Reports on manifests, which a cell in this process decides.
     *
     * @throws RunFailure if the manifests do not have the object
     */
    DeviceReport ofManifests(ManifestInputs.CompletedManifests read, RunSettings settings) {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        State state = ManifestCell.of(read.listing().objects(), cellSettings(settings), new CelSelectors(), now)
                .state();
        return report(state, now).orElseThrow(() -> new RunFailure(missing() + " in the files"));
    }

    /** The settings of a cell of manifests. */
    static CellSettings cellSettings(RunSettings settings) {
        return CellSettings.builder()
                .policy(policy(settings.policy()))
                .searchStepsMax(settings.searchStepsMax())
                .features(settings.features())
                .kubeScheduler(false)
                .build();
    }

    /** The policy with this name. */
    static PlacementPolicy policy(String text) {
        return Arrays.stream(PlacementPolicy.values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no policy " + text));
    }

    private Optional<DeviceReport> report(State state, Instant at) {
        return isPod
                ? DeviceReport.ofPod(state, key, at, new CelSelectors())
                : DeviceReport.ofClaim(state, key, at, new CelSelectors());
    }

    private String missing() {
        return "there is no %s %s that Claimstream allocates".formatted(isPod ? "pod" : "claim", key);
    }
}
