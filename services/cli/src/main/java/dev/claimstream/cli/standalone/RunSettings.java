package dev.claimstream.cli.standalone;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The settings of a run that a user can change.
 *
 * @param features feature gates of the cluster
 * @param coolDown quarantine period for devices of a force-deleted pod
 * @param binds whether kube-scheduler binds the pods, so that the writer's pin setting applies
 * @param threads stream threads that the cells share; empty for the allocator's own setting
 * @param rebuild whether the allocator first rebuilds its state from the public topics and its decisions
 * @param observeOnly whether kube-scheduler allocates, and Claimstream only compares
 * @param services started in addition
 */
public record RunSettings(
        String policy,
        long searchStepsMax,
        FeatureGates features,
        Duration coolDown,
        boolean binds,
        Optional<Integer> threads,
        boolean rebuild,
        boolean observeOnly,
        Set<OptionalService> services) {
    public RunSettings {
        services = Set.copyOf(services);
    }

    public static RunSettings defaults() {
        return builder().build();
    }

    /** Returns a builder of the default settings. */
    static RunSettingsBuilder builder() {
        return new RunSettingsBuilder();
    }

    private RunSettingsBuilder toBuilder() {
        return builder()
                .policy(policy)
                .searchStepsMax(searchStepsMax)
                .features(features)
                .coolDown(coolDown)
                .binds(binds)
                .threads(threads)
                .rebuild(rebuild)
                .observeOnly(observeOnly)
                .services(services);
    }

    /**
     * Returns the settings of a command line.
     *
     * @throws ParameterException if a value is invalid; the message names option, value and valid values
     */
    public static RunSettings checked(CommandSpec command, String policy, long searchSteps, FeatureGates features) {
        if (Arrays.stream(PlacementPolicy.values())
                .noneMatch(each -> each.text().equals(policy))) {
            throw new ParameterException(
                    command.commandLine(), "--policy %s is not known: use best-fit or first-fit".formatted(policy));
        }
        if (searchSteps < 1) {
            throw new ParameterException(
                    command.commandLine(), "--search-steps %d is too small: use 1 or more".formatted(searchSteps));
        }
        return builder()
                .policy(policy)
                .searchStepsMax(searchSteps)
                .features(features)
                .build();
    }

    /** Returns these settings with or without a state rebuild. */
    public RunSettings withRebuild(boolean other) {
        return toBuilder().rebuild(other).build();
    }

    /** Returns these settings for a cluster with other feature gates. */
    RunSettings withFeatures(FeatureGates other) {
        return toBuilder().features(other).build();
    }

    /** Returns these settings with a quarantine period. */
    public RunSettings withCoolDown(Duration other) {
        return toBuilder().coolDown(other).build();
    }

    /** Returns these settings for a cluster whose pods kube-scheduler binds, or does not bind. */
    public RunSettings withBinding(boolean other) {
        return toBuilder().binds(other).build();
    }

    /** Returns these settings with a number of stream threads. */
    public RunSettings withThreads(Optional<Integer> other) {
        return toBuilder().threads(other).build();
    }

    /** Returns these settings with or without observe-only mode. */
    public RunSettings withObserveOnly(boolean other) {
        return toBuilder().observeOnly(other).build();
    }

    /** Returns these settings with services that start in addition. */
    public RunSettings withServices(Set<OptionalService> others) {
        return toBuilder().services(others).build();
    }
}
