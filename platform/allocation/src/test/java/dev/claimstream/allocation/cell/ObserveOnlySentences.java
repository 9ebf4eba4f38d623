package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.LabelSelector;
import java.util.List;

/** Defines the story sentences on observe-only mode and on the nodes that a cell uses. */
final class ObserveOnlySentences {
    private ObserveOnlySentences() {}

    static void addActsTo(Sentences sentences, CellFixture stage) {
        sentences.define(
                "the cell only observes",
                match -> stage.settings(
                        stage.settings().toBuilder().observeOnly(true).build()));
        sentences.define(
                "the cell allocates only on nodes with TEXT",
                match -> stage.settings(stage.settings().toBuilder()
                        .nodes(LabelSelector.parse(match.group(1)))
                        .build()));
        sentences.define(
                "the cell allocates on every node",
                match -> stage.settings(stage.settings().toBuilder()
                        .nodes(LabelSelector.EVERYTHING)
                        .build()));
        sentences.define(
                "the cell allocates again",
                match -> stage.settings(
                        stage.settings().toBuilder().observeOnly(false).build()));
    }

    static void addChecksTo(Sentences sentences, CellFixture stage) {
        sentences.define(
                "the cell compares claim NAME: NAME",
                match -> assertThat(comparisons(stage, match.group(1)))
                        .last()
                        .extracting(comparison -> comparison.result().text())
                        .isEqualTo(match.group(2)));
        sentences.define(
                "the cell compares no claim",
                match -> assertThat(stage.outputs()).noneMatch(Output.ClaimCompared.class::isInstance));
        sentences.define(
                "the cell publishes no allocation",
                match -> assertThat(stage.decisions())
                        .allMatch(decision -> decision.result() instanceof Decision.DecisionResult.Pending
                                || decision.result() instanceof Decision.DecisionResult.Released));
    }

    private static List<Comparison> comparisons(CellFixture stage, String claim) {
        return stage.outputs().stream()
                .filter(Output.ClaimCompared.class::isInstance)
                .map(output -> ((Output.ClaimCompared) output).comparison())
                .filter(comparison -> comparison.claim().equals(CellFixture.key(claim)))
                .toList();
    }
}
