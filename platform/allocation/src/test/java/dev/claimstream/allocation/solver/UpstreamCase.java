package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.claimstream.allocation.oracle.OracleAllocator;
import dev.claimstream.allocation.oracle.OracleProblem;
import dev.claimstream.allocation.oracle.OracleResult;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;

/**
 * Builds a case of upstream's table of allocator tests. The test runs it on the solver and on the oracle.
 *
 * <p>The only node is node-1 in region-1. The classes class-a and class-b select every device.
 */
final class UpstreamCase {
    private static final TextSelectors SELECTORS = new TextSelectors();

    private final String name;
    private final List<ResourceSlice> slices = new ArrayList<>();
    private final List<DeviceTaintRule> rules = new ArrayList<>();
    private final List<DeviceClass> classes = new ArrayList<>();
    private final SortedSet<DeviceId> allocated = new TreeSet<>();
    private final List<ClaimSpec> claims = new ArrayList<>();
    private final List<String> results = new ArrayList<>();
    private FeatureGates features = OracleProblem.FEATURES;
    private final List<String> config = new ArrayList<>();
    private final List<String> selectors = new ArrayList<>();
    private long stepsMax = Long.MAX_VALUE;

    private UpstreamCase(String name) {
        this.name = name;
    }

    static UpstreamCase testCase(String name) {
        return new UpstreamCase(name);
    }

    // ---- problem

    /** Adds a pool with one slice on node-1. */
    UpstreamCase pool(String pool, String... devices) {
        return poolOn("node-1", pool, devices);
    }

    /** Adds a pool with one slice and a node selection as in {@code DeviceText#scope}. */
    UpstreamCase poolOn(String where, String pool, String... devices) {
        return slice(pool + "-slice-" + slices.size(), pool, 1, 1, where, devices);
    }

    /** Adds a slice. */
    UpstreamCase slice(String slice, String pool, long generation, long count, String where, String... devices) {
        slices.add(SampleObjects.slice(slice, pool, generation, count, where, devices));
        return this;
    }

    UpstreamCase slice(ResourceSlice slice) {
        slices.add(slice);
        return this;
    }

    UpstreamCase classes(DeviceClass... more) {
        classes.addAll(List.of(more));
        return this;
    }

    UpstreamCase rule(DeviceTaintRule rule) {
        rules.add(rule);
        return this;
    }

    UpstreamCase withoutFeature(Feature feature) {
        features = features.with(feature, false);
        return this;
    }

    UpstreamCase allocated(String pool, String... devices) {
        for (String device : devices) {
            allocated.add(new DeviceId(SampleObjects.DRIVER, pool, device));
        }
        return this;
    }

    UpstreamCase claim(String spec) {
        claims.add(ClaimText.spec(spec));
        return this;
    }

    // ---- expectations

    /** Expects these results of the next claim: {@code request pool/device}, with {@code !} for admin access. */
    UpstreamCase expectDevices(String... expected) {
        results.add(String.join(", ", expected));
        return this;
    }

    /** Expects this configuration of the next claim: {@code FromClass [requests] text}. */
    UpstreamCase expectConfig(String... expected) {
        config.add(String.join(", ", expected));
        return this;
    }

    /** Expects this node selector of the next claim; empty for none. */
    UpstreamCase expectNodeSelector(String expected) {
        selectors.add(expected);
        return this;
    }

    /** Expects at most this number of search steps, which is the number of upstream's calls. */
    UpstreamCase expectStepsAtMost(long steps) {
        stepsMax = steps;
        return this;
    }

    /** Creates a test that expects an allocation. */
    DynamicTest shouldAllocate() {
        return dynamicTest(name, () -> {
            OracleResult answer = OracleAllocator.allocate(problem(), SELECTORS, node());
            assertThat(answer).isInstanceOfSatisfying(OracleResult.Fits.class, fits -> compare(fits.allocations()));
            AllocationPlan plan = plan();
            assertThat(plan)
                    .isInstanceOfSatisfying(AllocationPlan.Allocated.class, placed -> compare(placed.allocations()));
            assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
        });
    }

    /** Creates a test that expects a pending item with one of these reasons, and no error of the oracle. */
    DynamicTest shouldStayPending(Reason... reasons) {
        return dynamicTest(name, () -> {
            assertThat(OracleAllocator.allocate(problem(), SELECTORS, node())).isInstanceOf(OracleResult.No.class);
            AllocationPlan plan = plan();
            assertThat(plan)
                    .isInstanceOfSatisfying(
                            AllocationPlan.Pending.class,
                            pending -> assertThat(reasons)
                                    .contains(pending.diagnosis().reason()));
            assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
        });
    }

    /** Creates a test that expects an error of the oracle, and a pending item with this reason and message. */
    DynamicTest shouldFail(Reason reason, String message) {
        return dynamicTest(name, () -> {
            assertThat(OracleAllocator.allocate(problem(), SELECTORS, node())).isInstanceOf(OracleResult.Fails.class);
            assertThat(plan()).isInstanceOfSatisfying(AllocationPlan.Pending.class, pending -> {
                assertThat(pending.diagnosis().reason()).isEqualTo(reason);
                assertThat(pending.diagnosis().message()).contains(message);
            });
        });
    }

    private void compare(List<Allocation> allocations) {
        assertThat(allocations.stream().map(UpstreamCase::devices)).containsExactlyElementsOf(results);
        if (!config.isEmpty()) {
            assertThat(allocations.stream().map(UpstreamCase::parameters)).containsExactlyElementsOf(config);
        }
        if (!selectors.isEmpty()) {
            assertThat(allocations.stream().map(UpstreamCase::nodeSelector)).containsExactlyElementsOf(selectors);
        }
    }

    private static String devices(Allocation allocation) {
        return allocation.results().stream()
                .map(each -> "%s %s/%s%s"
                        .formatted(
                                each.request(),
                                each.device().pool(),
                                each.device().device(),
                                each.adminAccess() ? "!" : ""))
                .collect(Collectors.joining(", "));
    }

    private static String parameters(Allocation allocation) {
        return allocation.config().stream()
                .map(each -> "%s %s %s"
                        .formatted(
                                each.source().apiName(),
                                each.requests(),
                                each.opaque().parameters()))
                .collect(Collectors.joining(", "));
    }

    private static String nodeSelector(Allocation allocation) {
        return allocation.nodeSelector().map(NodeSelector::terms).orElse(List.of()).stream()
                .flatMap(term -> {
                    List<NodeSelector.Requirement> all = new ArrayList<>(term.matchFields());
                    all.addAll(term.matchExpressions());
                    return all.stream();
                })
                .map(each -> each.key() + " " + each.operator() + " " + each.values())
                .collect(Collectors.joining(", "));
    }

    private OracleProblem problem() {
        List<DeviceClass> all = new ArrayList<>(classes);
        Collections.addAll(all, SampleObjects.deviceClass("class-a"), SampleObjects.deviceClass("class-b"));
        return new OracleProblem(List.of(node()), slices, rules, all, allocated, claims);
    }

    private static Node node() {
        return SampleObjects.node("node-1", "region=region-1");
    }

    private AllocationPlan plan() {
        OracleProblem problem = problem();
        var inventory = problem.inventory();
        inventory.setFeatures(features);
        var planner = new AllocationPlanner(inventory, SELECTORS);
        planner.setClasses(problem.classesByName());
        planner.setFeatures(features);
        return planner.plan(
                new ItemShape(problem.claims(), NodeRules.none()),
                new AllocationPlanner.PlanOptions(PlacementPolicy.FIRST_FIT, 100_000, node -> true));
    }
}
