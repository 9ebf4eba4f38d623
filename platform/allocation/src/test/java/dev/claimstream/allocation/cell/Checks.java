package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Pod;
import java.util.List;
import java.util.Optional;

/** Defines the {@code then} sentences of stories. */
final class Checks {
    private final Stage stage;

    private Checks(Stage stage) {
        this.stage = stage;
    }

    static void addTo(Sentences say, Stage stage) {
        var checks = new Checks(stage);
        checks.waiting(say);
        checks.grants(say);
        checks.said(say);
        checks.devices(say);
    }

    // ---- pending items

    private void waiting(Sentences say) {
        say.say("waits: TEXT", is -> waits(stage.subject(), is.group(1)));
        say.say("waits", is -> waits(stage.subject(), ""));
        say.say("(claim|pod) NAME waits: TEXT", is -> waits(item(is.group(1), is.group(2)), is.group(3)));
        say.say("(claim|pod) NAME waits", is -> waits(item(is.group(1), is.group(2)), ""));
        say.say(
                "(claim|pod) NAME is nobody's business",
                is -> assertThat(stage.state().item(item(is.group(1), is.group(2))))
                        .isEmpty());
    }

    private static ItemId item(String sort, String name) {
        return sort.equals("pod") ? ItemId.pod(Stage.key(name)) : ItemId.claim(Stage.key(name));
    }

    /**
     * Checks that the item is pending.
     *
     * @param text part of the message, or the name of the reason
     */
    private void waits(ItemId item, String text) {
        Row.ItemRow row = row(item);
        assertThat(row.isPending()).as("%s waits: %s", item, row.message()).isTrue();
        String reason = row.reason().orElseThrow().name();
        if (!reason.equals(text)) {
            assertThat(row.message()).as("why %s waits (%s)", item, reason).contains(text);
        }
    }

    private Row.ItemRow row(ItemId item) {
        return stage.state()
                .item(item)
                .orElseThrow(() -> new AssertionError("%s is nobody's business".formatted(item)));
    }

    // ---- allocations

    private void grants(Sentences say) {
        say.say("gets TEXT", is -> gets(stage.subject().key().name(), is.group(1)));
        say.say("claim NAME gets TEXT", is -> gets(is.group(1), is.group(2)));
        say.say(
                "claim NAME has nothing",
                is -> assertThat(stage.grant(is.group(1))).isEmpty());
        say.say(
                "claim NAME is for TEXT",
                is -> assertThat(stage
                                .grant(is.group(1))
                                .map(Row.AllocationRow::reservedFor)
                                .orElse(stage.claim(is.group(1)).reservedFor())
                                .stream()
                                .map(ClaimConsumer::name))
                        .containsExactlyElementsOf(names(is.group(2))));
        say.say("pod NAME can run on NAME", is -> runs(stage.pod(is.group(1)), Optional.of(is.group(2))));
        say.say("pod NAME can run", is -> runs(stage.pod(is.group(1)), Optional.empty()));
        say.say(
                "NUMBER claims are granted",
                is -> assertThat(stage.state().rowsFrom("grant/").values()).hasSize(Integer.parseInt(is.group(1))));
    }

    private static List<String> names(String text) {
        return List.of(text.split("(,| and)? ", -1));
    }

    private void gets(String claim, String devices) {
        Optional<Row.AllocationRow> grant = stage.grant(claim);
        assertThat(grant).as("grant of claim %s", claim).isPresent();
        assertThat(grant.orElseThrow().allocation().results().stream()
                        .map(each -> each.device().pool() + "/" + each.device().device()))
                .containsExactlyElementsOf(names(devices));
    }

    private void runs(Pod pod, Optional<String> node) {
        Row.ItemRow row = row(ItemId.pod(pod.key()));
        assertThat(row.isPending())
                .as("%s waits: %s", row.item(), row.message())
                .isFalse();
        for (var key : pod.claims()) {
            Row.AllocationRow grant =
                    stage.grant(key.name()).orElseThrow(() -> new AssertionError("no grant of " + key));
            assertThat(grant.reservedFor())
                    .anyMatch(consumer -> consumer.uid().equals(pod.meta().uid())
                            || (consumer.isPodGroup() && pod.podGroup().equals(Optional.of(consumer.name()))));
            node.ifPresent(name -> assertThat(grant.node()).isEqualTo(name));
        }
    }

    // ---- last outputs

    private void said(Sentences say) {
        say.say("nothing is said", is -> assertThat(stage.said()).isEmpty());
        say.say(
                "that is (stale|foreign|unknown-decision) and counts for nothing",
                is -> assertThat(stage.ignored())
                        .extracting(each -> each.reason().text())
                        .containsOnly(is.group(1)));
        say.say("that is only repeated", is -> assertThat(stage.ignored()).isEmpty());
        say.say(
                "NUMBER items are explained",
                is -> assertThat(stage.said().stream().filter(Output.ItemExplained.class::isInstance))
                        .hasSize(Integer.parseInt(is.group(1))));
        say.say("no refresh is due", is -> assertThat(stage.state().refresh()).isEmpty());
        say.say("the same answer", is -> assertThat(stage.decisions()).isEmpty());
        say.say(
                "claim NAME is given the same again",
                is -> assertThat(stage.decisions()).singleElement().satisfies(decision -> {
                    Row.AllocationRow grant = stage.grant(is.group(1)).orElseThrow();
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.number()).isEqualTo(grant.number()).isGreaterThan(1);
                    assertThat(decision.result()).isEqualTo(grant.result());
                    assertThat(grant.claimVersion()).isEqualTo(stage.state().version(Stage.key(is.group(1))));
                }));
        say.say(
                "claim NAME is said again for pod NAME",
                is -> assertThat(stage.decisions()).singleElement().satisfies(decision -> {
                    Row.AllocationRow grant = stage.grant(is.group(1)).orElseThrow();
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.item()).isEqualTo(ItemId.pod(Stage.key(is.group(2))));
                    assertThat(decision.number()).isEqualTo(grant.number());
                    assertThat(decision.result()).isEqualTo(grant.result());
                }));
        say.say(
                "the decision for claim NAME is to wait: NAME",
                is -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.result())
                            .isInstanceOfSatisfying(
                                    Decision.DecisionResult.Pending.class,
                                    waits -> assertThat(waits.reason().name()).isEqualTo(is.group(2)));
                }));
        say.say(
                "claim NAME is released",
                is -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Released.class);
                }));
        say.say(
                "claim NAME is revoked",
                is -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.result()).isInstanceOf(Decision.DecisionResult.Revoked.class);
                }));
        say.say(
                "an alarm (begins|ends): NAME/NAME is (lost|contested|overdrawn)",
                is -> assertThat(stage.said()).anySatisfy(output -> {
                    assertThat(output).isInstanceOf(Output.AlarmChanged.class);
                    var alarmed = (Output.AlarmChanged) output;
                    assertThat(alarmed.isCleared()).isEqualTo(is.group(1).equals("ends"));
                    assertThat(alarmed.alarm().device())
                            .isEqualTo(new DeviceId(Objects.DRIVER, is.group(2), is.group(3)));
                    assertThat(alarmed.alarm().type())
                            .isEqualTo(
                                    switch (is.group(4)) {
                                        case "lost" -> Alarm.AlarmType.DEVICE_LOST;
                                        case "contested" -> Alarm.AlarmType.CONFLICT;
                                        default -> Alarm.AlarmType.OVERDRAWN;
                                    });
                }));
        say.say(
                "work is unfinished",
                is -> assertThat(stage.state().hasUnfinishedWork()).isTrue());
        say.say(
                "no work is unfinished",
                is -> assertThat(stage.state().hasUnfinishedWork()).isFalse());
        say.say("no alarm of work", is -> assertThat(stage.said()).noneMatch(Output.WorkAlarmRaised.class::isInstance));
        say.say(
                "it cost NUMBER to NUMBER units of work",
                is -> assertThat(stage.work()).isBetween(Long.parseLong(is.group(1)), Long.parseLong(is.group(2))));
        say.say(
                "an alarm that claim NAME needs much work",
                is -> assertThat(stage.said())
                        .anyMatch(output -> output instanceof Output.WorkAlarmRaised alarmed
                                && alarmed.claims().contains(Stage.key(is.group(1)))));
        say.say("no alarm", is -> assertThat(stage.said()).noneMatch(Output.AlarmChanged.class::isInstance));
        say.say(
                "the decisions on one claim end",
                is -> assertThat(stage.said()).anyMatch(Output.ClaimDeleted.class::isInstance));
        say.say(
                "answered: NUMBER granted, NUMBER waiting",
                is -> assertThat(stage.said())
                        .contains(new Output.ProbeAnswered(
                                "probe", Integer.parseInt(is.group(1)), Integer.parseInt(is.group(2)))));
        say.say("no answer", is -> assertThat(stage.said()).noneMatch(Output.ProbeAnswered.class::isInstance));
        say.say(
                "it took NUMBER to NUMBER steps",
                is -> assertThat(stage.steps()).isBetween(Long.parseLong(is.group(1)), Long.parseLong(is.group(2))));
        say.say("because TEXT", is -> assertThat(row(stage.subject()).message()).contains(is.group(1)));
    }

    // ---- devices and nodes

    private void devices(Sentences say) {
        say.say(
                "NAME/NAME is held by TEXT",
                is -> assertThat(holders(is.group(1), is.group(2))).containsExactlyElementsOf(names(is.group(3))));
        say.say(
                "NAME/NAME is free",
                is -> assertThat(holders(is.group(1), is.group(2))).isEmpty());
        say.say(
                "NAME is kept for (claim|pod) NAME",
                is -> assertThat(Optional.ofNullable(stage.state().earmarks().get(is.group(1)))
                                .map(Rank::item))
                        .contains(item(is.group(2), is.group(3))));
        say.say("no node is kept", is -> assertThat(stage.state().earmarks()).isEmpty());
    }

    private List<String> holders(String pool, String device) {
        return stage
                .state()
                .inventory()
                .usage(new DeviceId(Objects.DRIVER, pool, device))
                .map(DeviceUsage::entries)
                .orElse(List.of())
                .stream()
                .map(holder -> holder.claim().name())
                .toList();
    }
}
