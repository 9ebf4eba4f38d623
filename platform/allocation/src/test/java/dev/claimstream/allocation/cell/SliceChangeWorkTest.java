package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that the work for one changed slice does not depend on the number of equivalent nodes. */
final class SliceChangeWorkTest {
    private static final int SMALL = 100;
    private static final int LARGE = 400;

    /** Nodes with eight devices each, and a pending claim that selects none of them. */
    private static final class NodeFleet {
        private Cell cell = new Cell(new State(new TextSelectors()));
        private final int nodes;
        private long offset;
        private long workOfLastSlice;

        NodeFleet(int nodes) {
            this.nodes = nodes;
            step(new Observation.ObjectUpserted(stamp(), SampleObjects.deviceClass("gpu", "model=a100")));
            step(new Observation.ObjectUpserted(stamp(), pendingClaim()));
            for (int i = 0; i < nodes; i++) {
                step(new Observation.ObjectUpserted(stamp(), SampleObjects.node(node(i))));
                workOfLastSlice = step(new Observation.ObjectUpserted(stamp(), slice(i, "a100")))
                        .work();
            }
        }

        private static ResourceClaim pendingClaim() {
            return new ResourceClaim(
                    ObjectMeta.of("default", "pending", "uid-of-pending"),
                    ClaimText.spec("r: 1 gpu [model=h100]"),
                    Optional.empty(),
                    List.of());
        }

        private static String node(int number) {
            return "node-%04d".formatted(number);
        }

        static ResourceSlice slice(int number, String model) {
            String[] devices = new String[8];
            for (int i = 0; i < devices.length; i++) {
                devices[i] = "gpu-%d model=%s".formatted(i, model);
            }
            return SampleObjects.slice(node(number), devices);
        }

        Step change() {
            return step(new Observation.ObjectUpserted(stamp(), slice(nodes / 2, "v100")));
        }

        Step delete() {
            ResourceSlice slice = slice(nodes / 3, "a100");
            return step(new Observation.ObjectDeleted(
                    stamp(), Kind.RESOURCE_SLICE, slice.key(), slice.meta().uid()));
        }

        /** Rebuilds the cell from its rows. */
        void rebuild() {
            cell = new Cell(State.of(
                    new TextSelectors(), List.copyOf(cell.state().rows().values())));
        }

        private Stamp stamp() {
            return new Stamp("test", 1, offset);
        }

        /** Steps the cell after one minute of log time, so that the work budget is never exhausted. */
        private Step step(Observation observation) {
            return cell.step(new Input(offset, History.START.plusSeconds(60 * offset++), observation));
        }
    }

    @Test
    void chargesNoMoreForNewSliceOfLargerFleet() {
        assertThat(new NodeFleet(LARGE).workOfLastSlice).isPositive().isEqualTo(new NodeFleet(SMALL).workOfLastSlice);
    }

    @Test
    void chargesNoMoreForChangedSliceOfLargerFleet() {
        assertThat(new NodeFleet(LARGE).change().work())
                .isPositive()
                .isEqualTo(new NodeFleet(SMALL).change().work());
    }

    @Test
    void chargesNoMoreForDeletedSliceOfLargerFleet() {
        assertThat(new NodeFleet(LARGE).delete().work())
                .isPositive()
                .isEqualTo(new NodeFleet(SMALL).delete().work());
    }

    @Test
    void chargesTheSameAfterRebuild() {
        var live = new NodeFleet(SMALL);
        var rebuilt = new NodeFleet(SMALL);
        rebuilt.rebuild();
        assertThat(rebuilt.change()).isEqualTo(live.change());
        rebuilt.rebuild();
        assertThat(rebuilt.delete()).isEqualTo(live.delete());
    }
}
