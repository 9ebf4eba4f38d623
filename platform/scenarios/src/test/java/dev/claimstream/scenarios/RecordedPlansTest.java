package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Selectors;
import dev.claimstream.scenarios.random.ApiArea;
import dev.claimstream.scenarios.random.Problem;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that random problems have the recorded plans, with the recorded numbers of search steps.
 *
 * <p>The plans were recorded before the types of the core were renamed and divided. A change of the structure must not change them. After
 * an intended change of the search, run this test with {@code -Dplans.write=true}, and review the difference.
 */
final class RecordedPlansTest {
    private static final int PROBLEMS = 200;
    private static final long STEPS_MAX = 20_000;
    private static final String WRITE = "plans.write";
    private static final Path RECORDED = Path.of("src/test/resources/dev/claimstream/scenarios/plans.txt");

    private static final Selectors SELECTORS = new CelSelectors();

    @Test
    void randomProblemsHaveRecordedPlans() throws IOException {
        List<String> plans = new ArrayList<>();
        for (long seed = 1; seed <= PROBLEMS; seed++) {
            addPlans(plans, new UpstreamQuery(Problem.of(seed, EnumSet.allOf(ApiArea.class))));
        }
        if (Boolean.getBoolean(WRITE)) {
            Files.write(RECORDED, plans);
        }
        assertThat(plans)
                .as("plans of %d problems: seed, node, policy, search steps, result", PROBLEMS)
                .isEqualTo(Files.readAllLines(RECORDED));
    }

    private static void addPlans(List<String> plans, UpstreamQuery query) {
        assertThat(query.isValid()).isTrue();
        var solver = new ScenarioSolver(query.objects(), query.problem().features(), SELECTORS);
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            Stream.concat(
                            Stream.of(Optional.<String>empty()),
                            query.nodes().stream().map(Optional::of))
                    .forEach(node -> plans.add("%d %s %s %s"
                            .formatted(
                                    query.problem().seed(),
                                    node.orElse("any"),
                                    policy.text(),
                                    text(solver.plan(node, query.claims(), policy, STEPS_MAX)))));
        }
    }

    private static String text(AllocationPlan plan) {
        return switch (plan) {
            case AllocationPlan.Allocated allocated ->
                "%d allocated %s %s"
                        .formatted(
                                allocated.steps(),
                                allocated.node(),
                                allocated.allocations().stream()
                                        .map(RecordedPlansTest::devices)
                                        .collect(Collectors.joining()));
            case AllocationPlan.Pending pending -> pending.steps() + " pending";
        };
    }

    private static String devices(Allocation allocation) {
        return allocation.results().stream()
                .map(result -> "%s=%s%s;".formatted(result.request(), result.device(), result.consumedCapacity()))
                .collect(Collectors.joining("", "|", ""));
    }
}
