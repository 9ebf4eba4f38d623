package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.Features;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * What a user can set for a run.
 *
 * @param features gates of the cluster that is served
 * @param coolDown how long the devices of a pod that was deleted by force are given to nobody
 * @param binds whether pods are bound to nodes by kube-scheduler, so that the writer's setting for that counts
 * @param threads that the cells share; nothing: what the allocator's setting says
 * @param rebuild whether the allocator is to tell itself its world anew first
 */
record RunSettings(
        String policy,
        long searchStepsMax,
        Features features,
        Duration coolDown,
        boolean binds,
        Optional<Integer> threads,
        boolean rebuild) {
    static RunSettings defaults() {
        return new RunSettings(
                Policy.BEST_FIT.text(),
                Settings.SEARCH_STEPS_DEFAULT,
                Features.defaults(),
                Duration.ZERO,
                false,
                Optional.empty(),
                false);
    }

    /**
     * The settings of a command line.
     *
     * @throws ParameterException that names the option, its value and what it can be
     */
    static RunSettings checked(CommandSpec command, String policy, long searchSteps, Features features) {
        if (Arrays.stream(Policy.values()).noneMatch(each -> each.text().equals(policy))) {
            throw new ParameterException(
                    command.commandLine(), "--policy %s is not known: use best-fit or first-fit".formatted(policy));
        }
        if (searchSteps < 1) {
            throw new ParameterException(
                    command.commandLine(),
                    "--search-steps %d leaves nothing to search with: use 1 or more".formatted(searchSteps));
        }
        return new RunSettings(policy, searchSteps, features, Duration.ZERO, false, Optional.empty(), false);
    }

    /** Whether the allocator is to tell itself its world anew first. */
    RunSettings withRebuild(boolean isWanted) {
        return new RunSettings(policy, searchStepsMax, features, coolDown, binds, threads, isWanted);
    }

    /** For a cluster with these gates. */
    RunSettings withFeatures(Features other) {
        return new RunSettings(policy, searchStepsMax, other, coolDown, binds, threads, rebuild);
    }

    /** What went by force cools down so long. */
    RunSettings withCoolDown(Duration other) {
        return new RunSettings(policy, searchStepsMax, features, other, binds, threads, rebuild);
    }

    /** Whether kube-scheduler binds the pods. */
    RunSettings withBinding(boolean isReal) {
        return new RunSettings(policy, searchStepsMax, features, coolDown, isReal, threads, rebuild);
    }

    /** So many threads share the cells. */
    RunSettings withThreads(Optional<Integer> other) {
        return new RunSettings(policy, searchStepsMax, features, coolDown, binds, other, rebuild);
    }
}
