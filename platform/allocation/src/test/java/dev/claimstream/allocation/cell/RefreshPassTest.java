package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests that a refresh pass over many pending items takes several bounded ticks. */
class RefreshPassTest {
    private static final int MANY = 2_500;

    private final List<Observation> observations = new ArrayList<>();
    private final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
    private Cell cell = new Cell(new State(new TextSelectors()));
    private int offset;
    private Instant now = History.START;

    private Step step(Observation observation) {
        Step step = stepUnchecked(observation);
        Invariants.check(cell.state());
        return step;
    }

    private Step stepUnchecked(Observation observation) {
        Step step = cell.step(new Input(offset, now, observation));
        offset++;
        return step;
    }

    private List<Step> settle() {
        List<Step> steps =
                new ArrayList<>(observations.stream().map(this::stepUnchecked).toList());
        observations.clear();
        while (cell.state().hasUnfinishedWork()) {
            steps.add(stepUnchecked(new Observation.WorkSliceDue(cell.state().nextSlice())));
        }
        Invariants.check(cell.state());
        return steps;
    }

    private Step tick() {
        now = now.plusSeconds(1);
        return step(new Observation.Tick());
    }

    private static long countExplanations(Step step) {
        return step.outputs().stream()
                .filter(Output.ItemExplained.class::isInstance)
                .count();
    }

    private static long countDecisions(Step step) {
        return step.outputs().stream()
                .filter(Output.DecisionMade.class::isInstance)
                .count();
    }

    private void publishDevices(int generation, String... devices) {
        apiServer.write(SampleObjects.slice("slice-" + generation, "node-1", generation, 1, "node-1", devices));
    }

    private void writeClaim(int number, String wants) {
        apiServer.write(new ResourceClaim(
                ObjectMeta.of("default", "claim-" + number, "uid-" + number).withSequence(number),
                ClaimText.spec(wants),
                Optional.empty(),
                List.of()));
    }

    private void writePod(int number, String group) {
        apiServer.write(Pod.builder(ObjectMeta.of("default", "pod-" + number, "uid-pod-" + number))
                .resourceClaims(
                        List.of(new PodClaim("use", new PodClaim.ClaimSource.ClaimReference("claim-" + number), 1)))
                .podGroup(Optional.of(group))
                .build());
    }

    private void begin() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        publishDevices(1, "gpu-0 kind=gpu");
        for (int i = 0; i < MANY; i++) {
            writeClaim(i, "r: 3 gpu");
        }
        observations.forEach(this::stepUnchecked);
        observations.clear();
        settle();
        for (int i = 0; i < 10; i++) {
            tick();
        }
    }

    @Test
    void explainsManyItemsInSlicesAndStops() {
        begin();
        assertThat(cell.state().deadline()).isEmpty();
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        assertThat(settle())
                .allSatisfy(step -> assertThat(countExplanations(step)).isZero());
        assertThat(countExplanations(step(new Observation.Tick())))
                .as("before a slice is due")
                .isZero();
        List<Step> slices = List.of(tick(), tick(), tick());
        assertThat(slices).extracting(RefreshPassTest::countExplanations).containsExactly(1000L, 1000L, 500L);
        assertThat(slices).extracting(RefreshPassTest::countDecisions).containsOnly(0L);
        assertThat(slices.getLast().outputs()).contains(new Output.TextsRefreshed(now.minusSeconds(2), List.of()));
        assertThat(cell.state().deadline()).isEmpty();
        assertThat(cell.state().pending().values().stream().flatMap(item -> cell.state().item(item).stream()))
                .allSatisfy(row -> assertThat(row.message()).contains("the largest has 2"));
        assertThat(tick().facts()).as("an idle cell").hasSize(1);
    }

    @Test
    void continuesAfterRestartWhereItStopped() {
        begin();
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        settle();
        assertThat(countExplanations(tick())).isEqualTo(1000);
        cell = new Cell(
                State.of(new TextSelectors(), List.copyOf(cell.state().rows().values())));
        assertThat(countExplanations(tick())).isEqualTo(1000);
        assertThat(countExplanations(tick())).isEqualTo(500);
        assertThat(cell.state().deadline()).isEmpty();
    }

    @Test
    void runsAnotherPassForChangeDuringPass() {
        begin();
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        settle();
        tick();
        publishDevices(3, "gpu-0 kind=gpu");
        settle();
        assertThat(countExplanations(tick()))
                .as("second slice: the text of the start is true again")
                .isZero();
        assertThat(countExplanations(tick())).isZero();
        assertThat(cell.state().deadline()).contains(now.plusSeconds(3));
        now = now.plus(Duration.ofSeconds(2));
        assertThat(countExplanations(tick())).isEqualTo(1000);
        tick();
        tick();
        assertThat(cell.state().deadline()).isEmpty();
    }

    @Test
    void keepsItemsGroupedAfterTheirTextIsReplaced() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        publishDevices(1, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        for (int i = 0; i < 100; i++) {
            writeClaim(i, "r: 1 gpu");
        }
        settle();
        tick();
        apiServer.delete(Kind.RESOURCE_CLAIM, new ObjectKey("default", "claim-0"), true);
        settle();
        assertThat(countExplanations(tick())).isEqualTo(97);
        assertThat(cell.state().queue().equivalences(EnumSet.allOf(Reason.class)).stream()
                        .map(cell.state().queue()::size))
                .containsExactly(97);
    }

    @Test
    void limitsShapesPerSlice() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        publishDevices(1, "gpu-0 kind=gpu");
        for (int i = 0; i < 450; i++) {
            writeClaim(i, "r: 3 gpu [id=%d]".formatted(i));
        }
        settle();
        for (int i = 0; i < 10; i++) {
            tick();
        }
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        settle();
        List<Long> slices = List.of(countExplanations(tick()), countExplanations(tick()), countExplanations(tick()));
        assertThat(slices).allMatch(each -> each <= 400);
        assertThat(slices.stream().mapToLong(each -> each).sum()).isEqualTo(450);
    }

    @Test
    void countsGangOncePerPass() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        publishDevices(1, "gpu-0 kind=gpu");
        for (int i = 0; i < 1_050; i++) {
            writeClaim(i, "r: 3 gpu");
            writePod(i, "train");
            now = now.plusSeconds(1); // refills the reserve of the work budget
            observations.forEach(this::stepUnchecked);
            observations.clear();
        }
        apiServer.write(new PodGroup(ObjectMeta.of("default", "train", "uid-train"), 1_100, List.of()));
        settle();
        for (int i = 0; i < 10; i++) {
            tick();
        }
        assertThat(cell.state().deadline()).isEmpty();
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        settle();
        for (int i = 0; i < 4; i++) {
            tick();
        }
        assertThat(cell.state().deadline()).as("a pass of few slices").isEmpty();
        assertThat(cell.state().pending().values().stream().flatMap(item -> cell.state().item(item).stream()))
                .allSatisfy(
                        row -> assertThat(row.message()).contains("1050 of the 1100 pods that start together exist"));
    }

    @Test
    void namesItemsThatCostTooMuch() {
        apiServer.write(SampleObjects.deviceClass("gpu", "kind=gpu"));
        apiServer.write(SampleObjects.node("node-1"));
        publishDevices(1, "gpu-0 kind=gpu");
        writeClaim(0, "r: 3 gpu");
        settle();
        tick();
        step(new Observation.SettingsChanged(cell.state().settings().toBuilder()
                .work(new WorkBudget(2, 1_000_000, 0, 1_000_000))
                .build()));
        publishDevices(2, "gpu-0 kind=gpu", "gpu-1 kind=gpu");
        settle();
        Step step = tick();
        assertThat(countExplanations(step)).isZero();
        assertThat(step.outputs())
                .contains(new Output.TextsRefreshed(now, List.of(ItemId.claim(new ObjectKey("default", "claim-0")))));
    }
}
