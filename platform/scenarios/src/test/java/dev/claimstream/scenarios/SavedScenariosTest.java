package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the expectations of the saved scenarios against Claimstream, without upstream. */
class SavedScenariosTest {
    static Stream<SavedScenario> scenarios() {
        return SavedScenario.all();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void matchesExpectationOfSavedScenario(SavedScenario saved) {
        ScenarioResult outcome = SavedScenario.runner().run(saved.scenario());
        assertThat(outcome.difference()).as(saved.toString()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void namesSavedScenarioAfterFileAndSetsNode(SavedScenario saved) {
        assertThat(saved.file()).hasFileName(saved.scenario().name() + ".yaml");
        assertThat(saved.scenario().node()).isPresent();
    }

    @Test
    void coversEveryOutcome() {
        assertThat(SavedScenario.matchingUpstream().stream()
                        .collect(Collectors.groupingBy(
                                each -> each.scenario().expectation().getClass(), Collectors.counting())))
                .hasSize(3)
                .allSatisfy((_, count) -> assertThat(count).isGreaterThanOrEqualTo(10));
    }
}
