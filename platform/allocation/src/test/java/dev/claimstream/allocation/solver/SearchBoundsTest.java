package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.oracle.OracleProblem;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests problems on which an exhaustive search does not end in reasonable time.
 *
 * <p>The limits are counted search steps, not time.
 */
class SearchBoundsTest {
    private static final long STEPS_MAX = 200_000;

    private static final List<DeviceClass> CLASSES =
            List.of(SampleObjects.deviceClass("gpu", "kind=gpu"), SampleObjects.deviceClass("nic", "kind=nic"));

    private static List<String> devices(int count, IntFunction<String> text) {
        return IntStream.range(0, count).mapToObj(text).toList();
    }

    private static List<String> gpus(int count) {
        return devices(count, i -> "gpu-%02d kind=gpu".formatted(i));
    }

    /** GPUs in groups with a common root attribute. */
    private static List<String> groupedGpus(int count, int ofGroup) {
        return devices(count, i -> "gpu-%02d kind=gpu root=%d".formatted(i, i / ofGroup));
    }

    private static AllocationPlan plan(PlacementPolicy policy, List<String> devices, int allocated, String... claims) {
        var inUse = new TreeSet<DeviceId>();
        for (int i = 0; i < allocated; i++) {
            inUse.add(new DeviceId(SampleObjects.DRIVER, "node-1", "gpu-%02d".formatted(i)));
        }
        var problem = new OracleProblem(
                List.of(SampleObjects.node("node-1")),
                List.of(SampleObjects.slice("node-1", devices.toArray(String[]::new))),
                List.of(),
                CLASSES,
                inUse,
                IntStream.range(0, claims.length)
                        .mapToObj(i -> ClaimText.spec(claims[i]))
                        .toList());
        var planner = new AllocationPlanner(problem.inventory(), new TextSelectors());
        planner.setClasses(problem.classesByName());
        return planner.plan(
                new ItemShape(problem.claims(), NodeRules.none()),
                new AllocationPlanner.PlanOptions(policy, STEPS_MAX, node -> true));
    }

    private static void assertAllocated(AllocationPlan plan, long stepsMax) {
        assertThat(plan).isInstanceOf(AllocationPlan.Allocated.class);
        assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
    }

    private static void assertPending(AllocationPlan plan, Reason reason, long stepsMax) {
        assertThat(plan)
                .isInstanceOfSatisfying(
                        AllocationPlan.Pending.class,
                        pending -> assertThat(pending.diagnosis().reason()).isEqualTo(reason));
        assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchForMissingDevice(PlacementPolicy policy) {
        assertPending(plan(policy, gpus(31), 0, "r: 32 gpu"), Reason.InsufficientDevicesPerNode, 1);
        assertAllocated(plan(policy, gpus(31), 0, "r: 31 gpu"), 40);
        assertPending(plan(policy, gpus(32), 1, "r: 32 gpu"), Reason.DevicesInUse, 1);
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchForMissingDeviceAcrossRequests(PlacementPolicy policy) {
        assertPending(plan(policy, gpus(31), 0, "a: 10 gpu; b: 10 gpu; c: 12 gpu"), Reason.DoesNotFit, 6_000);
        assertAllocated(plan(policy, gpus(32), 0, "a: 10 gpu; b: 10 gpu; c: 12 gpu"), 60);
        String[] claims = IntStream.range(0, 32).mapToObj(i -> "r: 1 gpu").toArray(String[]::new);
        assertPending(plan(policy, gpus(31), 0, claims), Reason.DoesNotFit, 2_000);
        assertAllocated(plan(policy, gpus(32), 0, claims), 100);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 11, 15, 31})
    void boundsSearchInGroupsThatAreTooSmall(int ofGroup) {
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            List<String> devices = groupedGpus(64, ofGroup);
            String claim = "r: %d gpu; match root".formatted(ofGroup + 1);
            assertPending(plan(policy, devices, 0, claim), Reason.ConstraintUnsatisfied, 100);
            assertAllocated(plan(policy, devices, 0, "r: %d gpu; match root".formatted(ofGroup)), 100);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 8, 31})
    void boundsSearchForNicOnOtherNumaNode(int count) {
        List<String> devices = new ArrayList<>(devices(64, i -> "gpu-%02d kind=gpu numa=%d".formatted(i, i / 32)));
        devices.add("nic-0 kind=nic numa=2");
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            String claim = "gpus: %d gpu; nic: 1 nic; match numa".formatted(count);
            assertPending(plan(policy, devices, 0, claim), Reason.ConstraintUnsatisfied, 6_000);
        }
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchForTooFewDistinctValues(PlacementPolicy policy) {
        assertPending(
                plan(policy, groupedGpus(64, 8), 0, "r: 9 gpu; distinct root"), Reason.ConstraintUnsatisfied, 50_000);
        assertAllocated(plan(policy, groupedGpus(64, 8), 0, "r: 8 gpu; distinct root"), 200);
        assertPending(
                plan(policy, groupedGpus(64, 8), 0, "a: 3 gpu; b: 3 gpu; c: 3 gpu; distinct root"),
                Reason.ConstraintUnsatisfied,
                200_000);
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchWithOverlappingConstraints(PlacementPolicy policy) {
        List<String> devices =
                devices(48, i -> "gpu-%02d kind=gpu numa=%d root=%d model=%d".formatted(i, i % 2, i % 8, i % 3));
        assertAllocated(
                plan(
                        policy,
                        devices,
                        0,
                        "a: 4 gpu; b: 4 gpu; c: 4 gpu; match numa of a,b; match model of b,c; distinct root of a"),
                2_000);
        assertPending(
                plan(
                        policy,
                        devices,
                        0,
                        "a: 5 gpu; b: 4 gpu; c: 4 gpu; match numa of a,b; match model of b,c; distinct root of a"),
                Reason.ConstraintUnsatisfied,
                50_000);
        assertPending(
                plan(policy, devices, 0, "a: 9 gpu; b: 9 gpu; match numa; match model of a; match root of b"),
                Reason.ConstraintUnsatisfied,
                50_000);
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchWithFailingAlternatives(PlacementPolicy policy) {
        String each = "big= 8 gpu | middle= 4 gpu | small= 2 gpu | one= 1 gpu";
        String claim = "a: %1$s; b: %1$s; c: %1$s; d: %1$s; e: %1$s; f: %1$s; last: 11 gpu".formatted(each);
        assertPending(plan(policy, gpus(16), 0, claim), Reason.DoesNotFit, 50_000);
        assertAllocated(plan(policy, gpus(17), 0, claim), 50_000);
    }

    @ParameterizedTest
    @EnumSource(PlacementPolicy.class)
    void boundsSearchWithoutEquivalentDevices(PlacementPolicy policy) {
        List<String> devices = devices(24, i -> "gpu-%02d kind=gpu uuid=%d numa=%d".formatted(i, i, i % 4));
        assertPending(
                plan(policy, devices, 0, "a: 6 gpu; b: 7 gpu; match numa of a; match numa of b; distinct uuid"),
                Reason.ConstraintUnsatisfied,
                200_000);
    }

    @Test
    void boundsSearchForAllDevicesAndAdminAccess() {
        assertPending(
                plan(PlacementPolicy.FIRST_FIT, gpus(20), 0, "a: 10 gpu; b: all gpu; match root of b"),
                Reason.ConstraintUnsatisfied,
                2_000);
        assertPending(
                plan(PlacementPolicy.FIRST_FIT, gpus(31), 0, "a: 10 gpu admin; b: 10 gpu admin; c: 12 gpu admin"),
                Reason.DoesNotFit,
                10_000);
    }

    @Test
    void staysUndecidedWhenSearchBudgetIsExhausted() {
        List<String> devices = devices(24, i -> "gpu-%02d kind=gpu uuid=%d".formatted(i, i));
        AllocationPlan plan =
                plan(PlacementPolicy.FIRST_FIT, devices, 0, "a: 8 gpu; b: 8 gpu; c: 9 gpu; distinct uuid");
        assertPending(plan, Reason.SearchBudgetExhausted, STEPS_MAX + 1);
        assertThat(plan.steps()).isGreaterThan(STEPS_MAX);
    }
}
