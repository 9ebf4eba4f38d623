package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Pod;
import java.util.List;
import java.util.Optional;

/** Defines the {@code then} sentences of stories. */
final class CheckSentences {
    private final CellFixture stage;

    private CheckSentences(CellFixture stage) {
        this.stage = stage;
    }

    static void addTo(Sentences sentences, CellFixture stage) {
        var checks = new CheckSentences(stage);
        checks.definePending(sentences);
        checks.defineAllocations(sentences);
        checks.defineOutputs(sentences);
        checks.defineDevices(sentences);
    }

    // ---- pending items

    private void definePending(Sentences sentences) {
        sentences.define(
                "(claim|pod) NAME is pending: TEXT",
                match -> assertPending(item(match.group(1), match.group(2)), match.group(3)));
        sentences.define(
                "(claim|pod) NAME is pending", match -> assertPending(item(match.group(1), match.group(2)), ""));
        sentences.define(
                "(claim|pod) NAME is no work item",
                match -> assertThat(stage.state().item(item(match.group(1), match.group(2))))
                        .isEmpty());
    }

    private static ItemId item(String kind, String name) {
        return kind.equals("pod") ? ItemId.pod(CellFixture.key(name)) : ItemId.claim(CellFixture.key(name));
    }

    /**
     * Checks that the item is pending.
     *
     * @param text part of the message, or the name of the reason
     */
    private void assertPending(ItemId item, String text) {
        SchedulingRow.ItemRow row = row(item);
        assertThat(row.isPending()).as("%s is pending: %s", item, row.message()).isTrue();
        String reason = row.reason().orElseThrow().name();
        if (!reason.equals(text)) {
            assertThat(row.message()).as("message of %s (%s)", item, reason).contains(text);
        }
    }

    private SchedulingRow.ItemRow row(ItemId item) {
        return stage.state().item(item).orElseThrow(() -> new AssertionError("%s is no work item".formatted(item)));
    }

    // ---- allocations

    private void defineAllocations(Sentences sentences) {
        sentences.define("claim NAME is allocated: TEXT", match -> assertDevices(match.group(1), match.group(2)));
        sentences.define(
                "claim NAME has no decided allocation",
                match -> assertThat(stage.decidedAllocation(match.group(1))).isEmpty());
        sentences.define(
                "claim NAME is reserved for TEXT",
                match -> assertThat(stage
                                .decidedAllocation(match.group(1))
                                .map(ClaimRow.AllocationRow::reservedFor)
                                .orElse(stage.claim(match.group(1)).reservedFor())
                                .stream()
                                .map(ClaimConsumer::name))
                        .containsExactlyElementsOf(splitNames(match.group(2))));
        sentences.define(
                "pod NAME is schedulable on NAME",
                match -> assertRunnable(stage.pod(match.group(1)), Optional.of(match.group(2))));
        sentences.define(
                "pod NAME is schedulable", match -> assertRunnable(stage.pod(match.group(1)), Optional.empty()));
    }

    private static List<String> splitNames(String text) {
        return List.of(text.split("(,| and)? ", -1));
    }

    private void assertDevices(String claim, String devices) {
        Optional<ClaimRow.AllocationRow> allocationRow = stage.decidedAllocation(claim);
        assertThat(allocationRow).as("allocation of claim %s", claim).isPresent();
        assertThat(allocationRow.orElseThrow().allocation().results().stream()
                        .map(each -> each.device().pool() + "/" + each.device().device()))
                .containsExactlyElementsOf(splitNames(devices));
    }

    private void assertRunnable(Pod pod, Optional<String> node) {
        SchedulingRow.ItemRow row = row(ItemId.pod(pod.key()));
        assertThat(row.isPending())
                .as("%s is pending: %s", row.item(), row.message())
                .isFalse();
        for (var key : pod.claims()) {
            ClaimRow.AllocationRow allocationRow = stage.decidedAllocation(key.name())
                    .orElseThrow(() -> new AssertionError("no allocation of " + key));
            assertThat(allocationRow.reservedFor())
                    .anyMatch(consumer -> consumer.uid().equals(pod.meta().uid())
                            || (consumer.isPodGroup() && pod.podGroup().equals(Optional.of(consumer.name()))));
            node.ifPresent(name -> assertThat(allocationRow.node()).isEqualTo(name));
        }
    }

    // ---- last outputs

    private void defineOutputs(Sentences sentences) {
        sentences.define(
                "the cell emits no output", match -> assertThat(stage.outputs()).isEmpty());
        sentences.define(
                "the cell ignores the observation as (stale|foreign|unknown-decision)",
                match -> assertThat(stage.ignored())
                        .extracting(each -> each.reason().text())
                        .containsOnly(match.group(1)));
        sentences.define(
                "the cell ignores only repetitions",
                match -> assertThat(stage.ignored()).isEmpty());
        sentences.define(
                "the cell explains NUMBER items?",
                match -> assertThat(stage.outputs().stream().filter(Output.ItemExplained.class::isInstance))
                        .hasSize(Integer.parseInt(match.group(1))));
        sentences.define(
                "no refresh is due",
                match -> assertThat(stage.state().row(SchedulingRow.RefreshRow.KEY))
                        .isEmpty());
        sentences.define(
                "the cell makes no decision",
                match -> assertThat(stage.decisions()).isEmpty());
        sentences.define(
                "the cell renews the decision on claim NAME",
                match -> assertThat(stage.decisions()).singleElement().satisfies(decision -> {
                    ClaimRow.AllocationRow allocationRow =
                            stage.decidedAllocation(match.group(1)).orElseThrow();
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.number())
                            .isEqualTo(allocationRow.number())
                            .isGreaterThan(1);
                    assertThat(decision.result()).isEqualTo(allocationRow.result());
                    assertThat(allocationRow.claimVersion())
                            .isEqualTo(stage.state().version(CellFixture.key(match.group(1))));
                }));
        sentences.define(
                "the cell repeats the decision on claim NAME for pod NAME",
                match -> assertThat(stage.decisions()).singleElement().satisfies(decision -> {
                    ClaimRow.AllocationRow allocationRow =
                            stage.decidedAllocation(match.group(1)).orElseThrow();
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.item()).isEqualTo(ItemId.pod(CellFixture.key(match.group(2))));
                    assertThat(decision.number()).isEqualTo(allocationRow.number());
                    assertThat(decision.result()).isEqualTo(allocationRow.result());
                }));
        sentences.define(
                "the cell decides claim NAME as pending: NAME",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result())
                            .isInstanceOfSatisfying(
                                    Decision.DecisionResult.Pending.class,
                                    pending ->
                                            assertThat(pending.reason().name()).isEqualTo(match.group(2)));
                }));
        sentences.define(
                "the cell releases claim NAME",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Released.class);
                }));
        sentences.define(
                "the cell revokes claim NAME",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Revoked.class);
                }));
        sentences.define(
                "the cell (raises|clears) an alarm: NAME/NAME is (lost|doubly allocated|overdrawn)",
                match -> assertThat(stage.outputs()).anySatisfy(output -> {
                    assertThat(output).isInstanceOf(Output.AlarmChanged.class);
                    var alarmed = (Output.AlarmChanged) output;
                    assertThat(alarmed.isCleared()).isEqualTo(match.group(1).equals("clears"));
                    assertThat(alarmed.alarm().device())
                            .isEqualTo(new DeviceId(SampleObjects.DRIVER, match.group(2), match.group(3)));
                    assertThat(alarmed.alarm().type())
                            .isEqualTo(
                                    switch (match.group(4)) {
                                        case "lost" -> Alarm.AlarmType.DEVICE_LOST;
                                        case "doubly allocated" -> Alarm.AlarmType.CONFLICT;
                                        default -> Alarm.AlarmType.OVERDRAWN;
                                    });
                }));
        sentences.define(
                "the cell has unfinished work",
                match -> assertThat(stage.state().hasUnfinishedWork()).isTrue());
        sentences.define(
                "the cell has no unfinished work",
                match -> assertThat(stage.state().hasUnfinishedWork()).isFalse());
        sentences.define(
                "the cell raises no work alarm",
                match -> assertThat(stage.outputs()).noneMatch(Output.WorkAlarmRaised.class::isInstance));
        sentences.define(
                "the cell performs NUMBER to NUMBER units of work",
                match -> assertThat(stage.work())
                        .isBetween(Long.parseLong(match.group(1)), Long.parseLong(match.group(2))));
        sentences.define(
                "the cell raises a work alarm for claim NAME",
                match -> assertThat(stage.outputs())
                        .anyMatch(output -> output instanceof Output.WorkAlarmRaised alarmed
                                && alarmed.claims().contains(CellFixture.key(match.group(1)))));
        sentences.define(
                "the cell changes no alarm",
                match -> assertThat(stage.outputs()).noneMatch(Output.AlarmChanged.class::isInstance));
        sentences.define(
                "the cell reports a deleted claim",
                match -> assertThat(stage.outputs()).anyMatch(Output.ClaimDeleted.class::isInstance));
        sentences.define(
                "the probe answer is NUMBER allocated and NUMBER pending",
                match -> assertThat(stage.outputs())
                        .contains(new Output.ProbeAnswered(
                                "probe", Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)))));
        sentences.define(
                "the probe has no answer",
                match -> assertThat(stage.outputs()).noneMatch(Output.ProbeAnswered.class::isInstance));
        sentences.define(
                "the search takes NUMBER to NUMBER steps",
                match -> assertThat(stage.steps())
                        .isBetween(Long.parseLong(match.group(1)), Long.parseLong(match.group(2))));
        sentences.define(
                "the message of (claim|pod) NAME contains TEXT",
                match -> assertThat(row(item(match.group(1), match.group(2))).message())
                        .contains(match.group(3)));
    }

    // ---- devices and nodes

    private void defineDevices(Sentences sentences) {
        sentences.define(
                "NAME/NAME is allocated to claims? TEXT",
                match -> assertThat(claimsOf(match.group(1), match.group(2)))
                        .containsExactlyElementsOf(splitNames(match.group(3))));
        sentences.define(
                "NAME/NAME is free",
                match -> assertThat(claimsOf(match.group(1), match.group(2))).isEmpty());
        sentences.define(
                "NAME is earmarked for (claim|pod) NAME",
                match -> assertThat(Optional.ofNullable(stage.state().earmarks().get(match.group(1)))
                                .map(Rank::item))
                        .contains(item(match.group(2), match.group(3))));
        sentences.define(
                "no node is earmarked",
                match -> assertThat(stage.state().earmarks()).isEmpty());
    }

    private List<String> claimsOf(String pool, String device) {
        return stage
                .state()
                .inventory()
                .usages()
                .find(new DeviceId(SampleObjects.DRIVER, pool, device))
                .map(DeviceUsage::entries)
                .orElse(List.of())
                .stream()
                .map(usage -> usage.claim().name())
                .toList();
    }
}
