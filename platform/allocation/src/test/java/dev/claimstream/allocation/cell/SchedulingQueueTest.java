package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests that the queue groups equivalent pending items and attempts one per group. */
class SchedulingQueueTest {
    private final List<Observation> out = new ArrayList<>();
    private final World world = new World(out);
    private final Cell cell = new Cell(new State(new TextSelectors()));
    private int fed;

    private void settle() {
        for (; fed < out.size(); fed++) {
            cell.step(new Input(fed + 1L, History.START, out.get(fed)));
            Invariants.check(cell.state());
        }
    }

    private void claim(int number, String wants) {
        world.write(new ResourceClaim(
                ObjectMeta.of("default", "claim-" + number, "uid-" + number).withSequence(number),
                ClaimText.spec(wants),
                Optional.empty(),
                List.of()));
    }

    private void begin() {
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.node("node-1"));
        world.write(Objects.slice("slice", "node-1", 1, 1, "node-1", "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
        for (int i = 0; i < 50; i++) {
            claim(i, i == 30 ? "r: 2 gpu" : "r: 1 gpu");
        }
        settle();
    }

    private SchedulingQueue queue() {
        return cell.state().queue();
    }

    private List<Integer> sizes() {
        return queue().equivalences(EnumSet.allOf(Reason.class)).stream()
                .map(queue()::size)
                .toList();
    }

    @Test
    void claimsThatAskForTheSameWaitTogether() {
        begin();
        assertThat(cell.state().pending()).hasSize(48);
        assertThat(queue().single(Reason.DevicesInUse)).isEmpty();
        assertThat(sizes()).containsExactlyInAnyOrder(47, 1);
    }

    /** One cell has the node, leases each item and returns it. The other cell has no node. */
    @Test
    void theyWaitTogetherInOneOfSeveralCellsToo() {
        begin();
        var several = new Several(2, 1);
        out.forEach(several::observe);
        several.settle();
        List<Integer> alike = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SchedulingQueue queue = several.cell(i).queue();
            queue.equivalences(EnumSet.of(Reason.DevicesInUse)).stream()
                    .map(queue::size)
                    .forEach(alike::add);
        }
        assertThat(alike).containsExactlyInAnyOrder(47, 1);
    }

    @Test
    void theyWaitTogetherForANodeThatIsKeptForAnOlderOneToo() {
        keepANode();
        assertThat(queue().single(Reason.Earmarked)).isEmpty();
        assertThat(queue().equivalences(EnumSet.of(Reason.Earmarked)).stream().map(queue()::size))
                .containsExactly(10);
        world.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-1"), true);
        settle();
        assertThat(cell.state().decidedAllocation("uid-3")).isPresent();
        assertThat(queue().equivalences(EnumSet.of(Reason.DevicesInUse)).stream()
                        .map(queue()::size))
                .as("without the one that the node is kept for now")
                .containsExactly(8);
    }

    /** Earmarks the node for claim-1, while one of its devices is free. */
    private void keepANode() {
        out.add(new Observation.SettingsChanged(CellSettings.defaults().withOvertakenMax(1)));
        world.write(Objects.deviceClass("gpu", "kind=gpu"));
        world.write(Objects.node("node-1"));
        world.write(Objects.slice("slice", "node-1", 1, 1, "node-1", "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
        claim(0, "r: 1 gpu");
        claim(1, "r: 2 gpu");
        claim(2, "r: 1 gpu");
        settle();
        world.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-2"), true);
        for (int i = 3; i < 13; i++) {
            claim(i, "r: 1 gpu");
        }
        settle();
    }

    @Test
    void theOldestOfThemIsServedAndTheOthersStayTogether() {
        begin();
        world.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-1"), true);
        settle();
        assertThat(cell.state().decidedAllocation("uid-2")).isPresent();
        assertThat(cell.state().pending()).hasSize(47);
        assertThat(queue().single(Reason.DevicesInUse)).isEmpty();
        assertThat(sizes()).containsExactlyInAnyOrder(46, 1);
    }

    @Test
    void oneOfWhichSomethingIsKnownAnewIsLookedAtForItself() {
        begin();
        claim(40, "r: 2 gpu");
        settle();
        assertThat(sizes()).containsExactlyInAnyOrder(46, 2);
        world.delete(Kind.DEVICE_CLASS, ObjectKey.cluster("gpu"), true);
        settle();
        assertThat(sizes()).isEmpty();
        assertThat(queue().single(Reason.ClassMissing)).hasSize(48);
    }

    @Test
    void aRoundTakesThemInTheOrderOfTheQueueAndOneForAll() {
        begin();
        var order = new ArrayList<String>();
        var round = QueueCursor.of(queue(), EnumSet.of(Reason.DevicesInUse), new TreeMap<>(), Optional.empty());
        for (var next = round.next(); next.isPresent(); next = round.next()) {
            order.add(next.get().key().name());
        }
        assertThat(order).as("nothing came of the first of each").containsExactly("claim-2", "claim-30");

        order.clear();
        var other = QueueCursor.of(queue(), EnumSet.of(Reason.DevicesInUse), new TreeMap<>(), Optional.empty());
        for (var next = other.next(); next.isPresent(); next = other.next()) {
            order.add(next.get().key().name());
            queue().separate(next.get());
            if (order.size() == 3) {
                queue().separate(ItemId.claim(new ObjectKey("default", "claim-35")));
                queue().separate(ItemId.claim(new ObjectKey("default", "claim-6")));
            }
        }
        assertThat(order).as("something came of each").hasSize(48).doesNotHaveDuplicates();
        assertThat(order.subList(0, 6))
                .containsExactly("claim-2", "claim-3", "claim-4", "claim-5", "claim-6", "claim-7");
        assertThat(order.indexOf("claim-35")).isEqualTo(33);
    }
}
