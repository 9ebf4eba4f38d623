package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Selectors;
import dev.claimstream.scenarios.random.Problem;
import dev.claimstream.scenarios.validity.Validator;
import dev.claimstream.selectors.CelSelectors;
import java.time.Duration;
import java.util.Optional;

/** Tests that solving arbitrary clusters and claims terminates, and that allocations obey every rule of the API. */
class SolverFuzzTest {
    private static final long STEPS_MAX = 20_000;
    /** Far more time than the search budget takes on a slow machine. */
    private static final Duration WITHIN = Duration.ofSeconds(20);

    private static final Selectors SELECTORS = new CelSelectors();

    @FuzzTest(maxDuration = "60s")
    void whatIsDecidedObeysTheRules(byte[] bytes) {
        var question = new UpstreamQuery(Problem.of(bytes));
        if (question.isValid()) {
            assertTimeoutPreemptively(WITHIN, () -> decide(question));
        }
    }

    private static void decide(UpstreamQuery question) {
        var decider = new ScenarioSolver(question.objects(), question.problem().features(), SELECTORS);
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            check(question, decider.solve(Optional.empty(), question.claims(), policy, STEPS_MAX));
            question.nodes()
                    .forEach(node ->
                            check(question, decider.solve(Optional.of(node), question.claims(), policy, STEPS_MAX)));
        }
    }

    private static void check(UpstreamQuery question, ScenarioDecision decision) {
        if (decision instanceof ScenarioDecision.Allocated fits) {
            var validator = new Validator(question.objects(), question.problem().features(), SELECTORS);
            assertThat(validator.violations(fits.node(), question.claims(), fits.allocations()))
                    .isEmpty();
        }
    }
}
