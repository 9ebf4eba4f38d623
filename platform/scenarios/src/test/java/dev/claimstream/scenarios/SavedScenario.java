package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A saved scenario. Each scenario covers one case that is easy to get wrong, or that was wrong once. The scenarios
 * expect upstream's outcome; those in {@code deliberateDifferences} expect Claimstream's outcome, which differs.
 */
record SavedScenario(Path file, Scenario scenario) {
    private static final Path FOLDER = Path.of("src", "test", "scenarios");
    private static final Path DELIBERATE = FOLDER.resolve("deliberate");
    private static final long STEPS_MAX = 200_000;

    /** Returns the scenarios with the same outcome in upstream and Claimstream. */
    static List<SavedScenario> matchingUpstream() {
        return all().filter(each -> !each.file.startsWith(DELIBERATE)).toList();
    }

    /** Returns the scenarios with different outcomes in upstream and Claimstream. */
    static List<SavedScenario> deliberateDifferences() {
        return all().filter(each -> each.file.startsWith(DELIBERATE)).toList();
    }

    /** Returns the scenarios with different outcomes in Kubernetes 1.36 and 1.37. Claimstream agrees with 1.37. */
    static List<SavedScenario> releaseDifferences() {
        return matchingUpstream().stream()
                .filter(each -> each.folderName().equals("versions"))
                .toList();
    }

    static Stream<SavedScenario> all() {
        var reader = new ScenarioReader(ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED));
        return files().stream().map(file -> new SavedScenario(file, read(reader, file)));
    }

    private static List<Path> files() {
        try (Stream<Path> files = Files.walk(FOLDER)) {
            return files.filter(each -> each.toString().endsWith(".yaml"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Scenario read(ScenarioReader reader, Path file) {
        try {
            var read = reader.read(file);
            assertThat(read.scenario()).as(read.errorText()).isPresent();
            return read.scenario().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a runner with the settings of the command. */
    static ScenarioRunner runner() {
        return new ScenarioRunner(new CelSelectors(), FeatureGates.defaults(), PlacementPolicy.FIRST_FIT, STEPS_MAX);
    }

    /** Returns the folder of the scenario, which is named after a part of the API. */
    String folderName() {
        return FOLDER.relativize(file).getName(0).toString();
    }

    @Override
    public String toString() {
        return FOLDER.relativize(file).toString();
    }
}
