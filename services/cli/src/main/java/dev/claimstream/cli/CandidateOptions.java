package dev.claimstream.cli;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocator.AllocatorSettings;
import dev.claimstream.cli.input.GateOptions;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.process.settings.SettingsContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select the settings of a candidate that is compared with the record. */
final class CandidateOptions {
    @Option(
            names = "--compare",
            description =
                    "Compare the placements of this release under the recorded settings with the record, instead of"
                            + " requiring equality.")
    private boolean compares;

    @Option(names = "--policy", paramLabel = "POLICY", description = "Compare with this policy: best-fit or first-fit.")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "Compare with the settings claimstream.allocator.* of a YAML or properties file: policy,"
                    + " search-steps-max, overtaken-max, cool-down, pin, kube-scheduler, nodes, kubernetes and features."
                    + " What the file does not set stays as recorded.")
    private Optional<Path> settings = Optional.empty();

    @Mixin
    private GateOptions gates;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private CandidateOptions() {}

    /**
     * Returns the change of the recorded settings; empty if no option asks for a comparison.
     *
     * @throws ParameterException if a value is invalid; the message names option, value and valid values
     */
    Optional<UnaryOperator<CellSettings>> change() {
        if (!compares && policy.isEmpty() && settings.isEmpty() && !gates.areGiven()) {
            return Optional.empty();
        }
        UnaryOperator<CellSettings> ofFile = settings.map(this::ofFile).orElseGet(UnaryOperator::identity);
        Optional<PlacementPolicy> chosen = policy.map(this::checkedPolicy);
        Optional<FeatureGates> features = gates.areGiven() ? Optional.of(gates.features(spec)) : Optional.empty();
        return Optional.of(before -> {
            CellSettings.Builder changed = ofFile.apply(before).toBuilder();
            chosen.ifPresent(changed::policy);
            features.ifPresent(changed::features);
            return changed.build();
        });
    }

    private UnaryOperator<CellSettings> ofFile(Path file) {
        if (!Files.isReadable(file)) {
            throw invalid("--settings %s: no such file, or it cannot be read".formatted(file));
        }
        try {
            var given = SettingsContext.ofFile(file).getEnvironment(); // open as long as the command: it has no beans
            var unused =
                    AllocatorSettings.changed(CellSettings.defaults(), given); // an invalid value is reported at once
            return before -> AllocatorSettings.changed(before, given);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--settings %s: %s".formatted(file, e.getMessage()), e);
        }
    }

    private PlacementPolicy checkedPolicy(String text) {
        return Arrays.stream(PlacementPolicy.values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> invalid("--policy %s is not known: use best-fit or first-fit".formatted(text)));
    }

    private ParameterException invalid(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
