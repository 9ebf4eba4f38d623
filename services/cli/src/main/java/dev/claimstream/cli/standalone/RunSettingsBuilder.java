package dev.claimstream.cli.standalone;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Sets the components of the settings of a run by name. Not thread-safe. */
final class RunSettingsBuilder {
    private String policy = PlacementPolicy.BEST_FIT.text();
    private long searchStepsMax = CellSettings.SEARCH_STEPS_DEFAULT;
    private FeatureGates features = FeatureGates.defaults();
    private Duration coolDown = Duration.ZERO;
    private boolean binds;
    private Optional<Integer> threads = Optional.empty();
    private boolean rebuild;
    private boolean observeOnly;
    private Set<OptionalService> services = Set.of();

    RunSettingsBuilder policy(String value) {
        policy = value;
        return this;
    }

    RunSettingsBuilder searchStepsMax(long value) {
        searchStepsMax = value;
        return this;
    }

    RunSettingsBuilder features(FeatureGates value) {
        features = value;
        return this;
    }

    RunSettingsBuilder coolDown(Duration value) {
        coolDown = value;
        return this;
    }

    RunSettingsBuilder binds(boolean value) {
        binds = value;
        return this;
    }

    RunSettingsBuilder threads(Optional<Integer> value) {
        threads = value;
        return this;
    }

    RunSettingsBuilder rebuild(boolean value) {
        rebuild = value;
        return this;
    }

    RunSettingsBuilder observeOnly(boolean value) {
        observeOnly = value;
        return this;
    }

    RunSettingsBuilder services(Set<OptionalService> value) {
        services = value;
        return this;
    }

    /** Creates the settings. */
    RunSettings build() {
        return new RunSettings(
                policy, searchStepsMax, features, coolDown, binds, threads, rebuild, observeOnly, services);
    }
}
