package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.DeviceCheck;
import dev.claimstream.allocation.solver.DeviceCheck.DeviceRequirement;
import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import org.junit.jupiter.api.Test;

class ItemChecksTest {
    private final CellFixture stage = new CellFixture();
    private final Sentences actions = new Sentences();

    ItemChecksTest() {
        ItemSentences.addTo(actions, stage);
        ClusterSentences.addTo(actions, stage);
    }

    private void execute(String... sentences) {
        for (String sentence : sentences) {
            assertThat(actions.execute(sentence)).as(sentence).isPresent();
        }
        stage.run();
    }

    private ItemChecks checks(String claim) {
        ItemId item = ItemChecks.itemOf(stage.state(), CellFixture.key(claim)).orElseThrow();
        return ItemChecks.of(stage.state(), item).orElseThrow();
    }

    private List<String> lines(String claim) {
        return checks(claim).devices().stream()
                .map(each -> "%s %s %s%s%s"
                        .formatted(
                                each.device().device(),
                                each.node(),
                                each.requirement(),
                                each.required().isEmpty() ? "" : " required " + each.required(),
                                each.found().isEmpty() ? "" : ", found " + each.found()))
                .toList();
    }

    @Test
    void namesFirstFailedRequirementOfEachDevice() {
        execute(
                "class gpu exists",
                "node-1 joins with gpu-0 model=a, gpu-1 model=b, nic-0",
                "node-2 joins with gpu-2 model=b",
                "node-2 is cordoned",
                "node-3 joins with gpu-3 model=b",
                "node-3 is not ready",
                "claim holder requests 1 gpu [model=b]",
                "claim late requests 1 gpu [model=b]");
        ItemChecks late = checks("late");
        assertThat(late.reason()).isPresent();
        assertThat(lines("late"))
                .containsExactly(
                        "gpu-0 node-1 SELECTOR required model=b",
                        "gpu-1 node-1 FREE required a free device, found held",
                        "nic-0 node-1 CLASS required gpu: kind=gpu",
                        "gpu-2 node-2 NODE required a node that the item may use, found it is cordoned",
                        "gpu-3 node-3 NODE required a usable node, found not ready");
        assertThat(late.devices().get(1).holders())
                .extracting(AllocationPlan.DeviceHolder::toString)
                .containsExactly("default/holder (used by no pod)");
    }

    @Test
    void reportsDevicesThatFitAlone() {
        execute("class gpu exists", "node-1 joins with 2 gpu", "claim big requests 3 gpu");
        assertThat(checks("big").devices()).hasSize(2).allMatch(DeviceCheck::isUsable);
    }

    @Test
    void reportsIncompletePool() {
        execute(
                "class gpu exists",
                "node-1 joins with 1 gpu",
                "node-1 publishes 1 gpu in a new generation, slice a of 2",
                "claim one requests 1 gpu");
        assertThat(checks("one").devices())
                .extracting(DeviceCheck::requirement)
                .containsExactly(DeviceRequirement.POOL);
    }

    @Test
    void checksNothingIfClaimsAreAllocatedOrMissing() {
        execute("class gpu exists", "node-1 joins with 1 gpu", "claim one requests 1 gpu", "pod p uses claim none");
        assertThat(checks("one").reason()).isEmpty();
        assertThat(checks("one").devices()).isEmpty();
        ItemChecks missing =
                ItemChecks.of(stage.state(), ItemId.pod(CellFixture.key("p"))).orElseThrow();
        assertThat(missing.reason()).contains(Reason.ClaimMissing);
        assertThat(missing.devices()).isEmpty();
    }

    @Test
    void findsPodOfClaim() {
        execute("class gpu exists", "claim one requests 1 gpu", "pod p uses claim one");
        assertThat(ItemChecks.itemOf(stage.state(), CellFixture.key("one"))).contains(ItemId.pod(CellFixture.key("p")));
        assertThat(ItemChecks.itemOf(stage.state(), CellFixture.key("none"))).isEmpty();
    }
}
