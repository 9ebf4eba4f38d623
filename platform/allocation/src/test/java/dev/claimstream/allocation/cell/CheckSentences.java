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
        sentences.define("waits: TEXT", match -> assertPending(stage.subject(), match.group(1)));
        sentences.define("waits", match -> assertPending(stage.subject(), ""));
        sentences.define(
                "(claim|pod) NAME waits: TEXT",
                match -> assertPending(item(match.group(1), match.group(2)), match.group(3)));
        sentences.define("(claim|pod) NAME waits", match -> assertPending(item(match.group(1), match.group(2)), ""));
        sentences.define(
                "(claim|pod) NAME is nobody's business",
                match -> assertThat(stage.state().item(item(match.group(1), match.group(2))))
                        .isEmpty());
    }

    private static ItemId item(String sort, String name) {
        return sort.equals("pod") ? ItemId.pod(CellFixture.key(name)) : ItemId.claim(CellFixture.key(name));
    }

    /**
     * Checks that the item is pending.
     *
     * @param text part of the message, or the name of the reason
     */
    private void assertPending(ItemId item, String text) {
        SchedulingRow.ItemRow row = row(item);
        assertThat(row.isPending()).as("%s waits: %s", item, row.message()).isTrue();
        String reason = row.reason().orElseThrow().name();
        if (!reason.equals(text)) {
            assertThat(row.message()).as("why %s waits (%s)", item, reason).contains(text);
        }
    }

    private SchedulingRow.ItemRow row(ItemId item) {
        return stage.state()
                .item(item)
                .orElseThrow(() -> new AssertionError("%s is nobody's business".formatted(item)));
    }

    // ---- allocations

    private void defineAllocations(Sentences sentences) {
        sentences.define(
                "gets TEXT", match -> assertDevices(stage.subject().key().name(), match.group(1)));
        sentences.define("claim NAME gets TEXT", match -> assertDevices(match.group(1), match.group(2)));
        sentences.define(
                "claim NAME has nothing",
                match -> assertThat(stage.decidedAllocation(match.group(1))).isEmpty());
        sentences.define(
                "claim NAME is for TEXT",
                match -> assertThat(stage
                                .decidedAllocation(match.group(1))
                                .map(ClaimRow.AllocationRow::reservedFor)
                                .orElse(stage.claim(match.group(1)).reservedFor())
                                .stream()
                                .map(ClaimConsumer::name))
                        .containsExactlyElementsOf(splitNames(match.group(2))));
        sentences.define(
                "pod NAME can run on NAME",
                match -> assertRunnable(stage.pod(match.group(1)), Optional.of(match.group(2))));
        sentences.define("pod NAME can run", match -> assertRunnable(stage.pod(match.group(1)), Optional.empty()));
        sentences.define(
                "NUMBER claims are granted",
                match -> assertThat(stage.state().rows(ClaimRow.AllocationRow.ALL))
                        .hasSize(Integer.parseInt(match.group(1))));
    }

    private static List<String> splitNames(String text) {
        return List.of(text.split("(,| and)? ", -1));
    }

    private void assertDevices(String claim, String devices) {
        Optional<ClaimRow.AllocationRow> allocationRow = stage.decidedAllocation(claim);
        assertThat(allocationRow).as("grant of claim %s", claim).isPresent();
        assertThat(allocationRow.orElseThrow().allocation().results().stream()
                        .map(each -> each.device().pool() + "/" + each.device().device()))
                .containsExactlyElementsOf(splitNames(devices));
    }

    private void assertRunnable(Pod pod, Optional<String> node) {
        SchedulingRow.ItemRow row = row(ItemId.pod(pod.key()));
        assertThat(row.isPending())
                .as("%s waits: %s", row.item(), row.message())
                .isFalse();
        for (var key : pod.claims()) {
            ClaimRow.AllocationRow allocationRow =
                    stage.decidedAllocation(key.name()).orElseThrow(() -> new AssertionError("no grant of " + key));
            assertThat(allocationRow.reservedFor())
                    .anyMatch(consumer -> consumer.uid().equals(pod.meta().uid())
                            || (consumer.isPodGroup() && pod.podGroup().equals(Optional.of(consumer.name()))));
            node.ifPresent(name -> assertThat(allocationRow.node()).isEqualTo(name));
        }
    }

    // ---- last outputs

    private void defineOutputs(Sentences sentences) {
        sentences.define("nothing is said", match -> assertThat(stage.outputs()).isEmpty());
        sentences.define(
                "that is (stale|foreign|unknown-decision) and counts for nothing",
                match -> assertThat(stage.ignored())
                        .extracting(each -> each.reason().text())
                        .containsOnly(match.group(1)));
        sentences.define(
                "that is only repeated", match -> assertThat(stage.ignored()).isEmpty());
        sentences.define(
                "NUMBER items are explained",
                match -> assertThat(stage.outputs().stream().filter(Output.ItemExplained.class::isInstance))
                        .hasSize(Integer.parseInt(match.group(1))));
        sentences.define(
                "no refresh is due",
                match -> assertThat(stage.state().row(SchedulingRow.RefreshRow.KEY))
                        .isEmpty());
        sentences.define(
                "the same answer", match -> assertThat(stage.decisions()).isEmpty());
        sentences.define(
                "claim NAME is given the same again",
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
                "claim NAME is said again for pod NAME",
                match -> assertThat(stage.decisions()).singleElement().satisfies(decision -> {
                    ClaimRow.AllocationRow allocationRow =
                            stage.decidedAllocation(match.group(1)).orElseThrow();
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.item()).isEqualTo(ItemId.pod(CellFixture.key(match.group(2))));
                    assertThat(decision.number()).isEqualTo(allocationRow.number());
                    assertThat(decision.result()).isEqualTo(allocationRow.result());
                }));
        sentences.define(
                "the decision for claim NAME is to wait: NAME",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result())
                            .isInstanceOfSatisfying(
                                    Decision.DecisionResult.Pending.class,
                                    pending ->
                                            assertThat(pending.reason().name()).isEqualTo(match.group(2)));
                }));
        sentences.define(
                "claim NAME is released",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Released.class);
                }));
        sentences.define(
                "claim NAME is revoked",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Revoked.class);
                }));
        sentences.define(
                "an alarm (begins|ends): NAME/NAME is (lost|contested|overdrawn)",
                match -> assertThat(stage.outputs()).anySatisfy(output -> {
                    assertThat(output).isInstanceOf(Output.AlarmChanged.class);
                    var alarmed = (Output.AlarmChanged) output;
                    assertThat(alarmed.isCleared()).isEqualTo(match.group(1).equals("ends"));
                    assertThat(alarmed.alarm().device())
                            .isEqualTo(new DeviceId(SampleObjects.DRIVER, match.group(2), match.group(3)));
                    assertThat(alarmed.alarm().type())
                            .isEqualTo(
                                    switch (match.group(4)) {
                                        case "lost" -> Alarm.AlarmType.DEVICE_LOST;
                                        case "contested" -> Alarm.AlarmType.CONFLICT;
                                        default -> Alarm.AlarmType.OVERDRAWN;
                                    });
                }));
        sentences.define(
                "work is unfinished",
                match -> assertThat(stage.state().hasUnfinishedWork()).isTrue());
        sentences.define(
                "no work is unfinished",
                match -> assertThat(stage.state().hasUnfinishedWork()).isFalse());
        sentences.define(
                "no alarm of work",
                match -> assertThat(stage.outputs()).noneMatch(Output.WorkAlarmRaised.class::isInstance));
        sentences.define(
                "it cost NUMBER to NUMBER units of work",
                match -> assertThat(stage.work())
                        .isBetween(Long.parseLong(match.group(1)), Long.parseLong(match.group(2))));
        sentences.define(
                "an alarm that claim NAME needs much work",
                match -> assertThat(stage.outputs())
                        .anyMatch(output -> output instanceof Output.WorkAlarmRaised alarmed
                                && alarmed.claims().contains(CellFixture.key(match.group(1)))));
        sentences.define(
                "no alarm", match -> assertThat(stage.outputs()).noneMatch(Output.AlarmChanged.class::isInstance));
        sentences.define(
                "the decisions on one claim end",
                match -> assertThat(stage.outputs()).anyMatch(Output.ClaimDeleted.class::isInstance));
        sentences.define(
                "answered: NUMBER granted, NUMBER waiting",
                match -> assertThat(stage.outputs())
                        .contains(new Output.ProbeAnswered(
                                "probe", Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)))));
        sentences.define(
                "no answer", match -> assertThat(stage.outputs()).noneMatch(Output.ProbeAnswered.class::isInstance));
        sentences.define(
                "it took NUMBER to NUMBER steps",
                match -> assertThat(stage.steps())
                        .isBetween(Long.parseLong(match.group(1)), Long.parseLong(match.group(2))));
        sentences.define(
                "because TEXT",
                match -> assertThat(row(stage.subject()).message()).contains(match.group(1)));
    }

    // ---- devices and nodes

    private void defineDevices(Sentences sentences) {
        sentences.define(
                "NAME/NAME is held by TEXT",
                match -> assertThat(holders(match.group(1), match.group(2)))
                        .containsExactlyElementsOf(splitNames(match.group(3))));
        sentences.define(
                "NAME/NAME is free",
                match -> assertThat(holders(match.group(1), match.group(2))).isEmpty());
        sentences.define(
                "NAME is kept for (claim|pod) NAME",
                match -> assertThat(Optional.ofNullable(stage.state().earmarks().get(match.group(1)))
                                .map(Rank::item))
                        .contains(item(match.group(2), match.group(3))));
        sentences.define(
                "no node is kept", match -> assertThat(stage.state().earmarks()).isEmpty());
    }

    private List<String> holders(String pool, String device) {
        return stage
                .state()
                .inventory()
                .usages()
                .find(new DeviceId(SampleObjects.DRIVER, pool, device))
                .map(DeviceUsage::entries)
                .orElse(List.of())
                .stream()
                .map(holder -> holder.claim().name())
                .toList();
    }
}
