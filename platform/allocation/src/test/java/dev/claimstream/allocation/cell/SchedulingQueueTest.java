package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
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
    private final List<Observation> observations = new ArrayList<>();
    private final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
    private final Cell cell = new Cell(new State(new TextSelectors()));
    private int consumed;

    private void settle() {
        for (; consumed < observations.size(); consumed++) {
            cell.step(new Input(consumed + 1L, History.START, observations.get(consumed)));
            Invariants.check(cell.state());
        }
    }

    private void writeClaim(int number, String wants) {
        apiServer.write(new ResourceClaim(
                ObjectMeta.of("default", "claim-" + number, "uid-" + number).withSequence(number),
                ClaimText.spec(wants),
                Optional.empty(),
                List.of()));
    }

    private void begin() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        apiServer.write(SampleObjects.slice("slice", "node-1", 1, 1, "node-1", "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
        for (int i = 0; i < 50; i++) {
            writeClaim(i, i == 30 ? "r: 2 gpu" : "r: 1 gpu");
        }
        settle();
    }

    private SchedulingQueue queue() {
        return cell.state().queue();
    }

    private List<Integer> groupSizes() {
        return queue().equivalences(EnumSet.allOf(Reason.class)).stream()
                .map(queue()::size)
                .toList();
    }

    @Test
    void groupsEquivalentClaims() {
        begin();
        assertThat(cell.state().pending()).hasSize(48);
        assertThat(queue().single(Reason.DevicesInUse)).isEmpty();
        assertThat(groupSizes()).containsExactlyInAnyOrder(47, 1);
    }

    /** One cell has the node, leases each item and returns it. The other cell has no node. */
    @Test
    void groupsEquivalentClaimsInOneOfSeveralCells() {
        begin();
        var simulation = new MultiCellSimulation(2, 1);
        observations.forEach(simulation::observe);
        simulation.settle();
        List<Integer> alike = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SchedulingQueue queue = simulation.cell(i).queue();
            queue.equivalences(EnumSet.of(Reason.DevicesInUse)).stream()
                    .map(queue::size)
                    .forEach(alike::add);
        }
        assertThat(alike).containsExactlyInAnyOrder(47, 1);
    }

    @Test
    void groupsClaimsPendingForEarmarkedNode() {
        earmarkNode();
        assertThat(queue().single(Reason.Earmarked)).isEmpty();
        assertThat(queue().equivalences(EnumSet.of(Reason.Earmarked)).stream().map(queue()::size))
                .containsExactly(10);
        apiServer.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-1"), true);
        settle();
        assertThat(cell.state().decidedAllocation("uid-3")).isPresent();
        assertThat(queue().equivalences(EnumSet.of(Reason.DevicesInUse)).stream()
                        .map(queue()::size))
                .as("without the one that the node is kept for now")
                .containsExactly(8);
    }

    /** Earmarks the node for claim-1, while one of its devices is free. */
    private void earmarkNode() {
        observations.add(new Observation.SettingsChanged(
                CellSettings.builder().overtakenMax(1).build()));
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        apiServer.write(SampleObjects.slice("slice", "node-1", 1, 1, "node-1", "gpu-0 kind=gpu", "gpu-1 kind=gpu"));
        writeClaim(0, "r: 1 gpu");
        writeClaim(1, "r: 2 gpu");
        writeClaim(2, "r: 1 gpu");
        settle();
        apiServer.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-2"), true);
        for (int i = 3; i < 13; i++) {
            writeClaim(i, "r: 1 gpu");
        }
        settle();
    }

    @Test
    void allocatesOldestAndKeepsOthersGrouped() {
        begin();
        apiServer.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-1"), true);
        settle();
        assertThat(cell.state().decidedAllocation("uid-2")).isPresent();
        assertThat(cell.state().pending()).hasSize(47);
        assertThat(queue().single(Reason.DevicesInUse)).isEmpty();
        assertThat(groupSizes()).containsExactlyInAnyOrder(46, 1);
    }

    @Test
    void regroupsItemsAfterTheirObjectsChange() {
        begin();
        writeClaim(40, "r: 2 gpu");
        settle();
        assertThat(groupSizes()).containsExactlyInAnyOrder(46, 2);
        apiServer.delete(Kind.DEVICE_CLASS, ObjectKey.cluster("gpu"), true);
        settle();
        assertThat(groupSizes()).isEmpty();
        assertThat(queue().single(Reason.ClassMissing)).hasSize(48);
    }

    @Test
    void visitsOneItemPerGroupInQueueOrder() {
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
