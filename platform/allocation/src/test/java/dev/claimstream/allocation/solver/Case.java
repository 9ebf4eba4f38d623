package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.claimstream.allocation.oracle.Answer;
import dev.claimstream.allocation.oracle.Problem;
import dev.claimstream.allocation.oracle.Upstream;
import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.Objects;
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
final class Case {
    private static final TextSelectors SELECTORS = new TextSelectors();

    private final String name;
    private final List<ResourceSlice> slices = new ArrayList<>();
    private final List<DeviceTaintRule> rules = new ArrayList<>();
    private final List<DeviceClass> classes = new ArrayList<>();
    private final SortedSet<DeviceId> held = new TreeSet<>();
    private final List<ClaimSpec> claims = new ArrayList<>();
    private final List<String> results = new ArrayList<>();
    private FeatureGates features = Problem.FEATURES;
    private final List<String> config = new ArrayList<>();
    private final List<String> selectors = new ArrayList<>();
    private long stepsMax = Long.MAX_VALUE;

    private Case(String name) {
        this.name = name;
    }

    static Case named(String name) {
        return new Case(name);
    }

    // ---- problem

    /** Adds a pool with one slice on node-1. */
    Case pool(String pool, String... devices) {
        return poolOn("node-1", pool, devices);
    }

    /** Adds a pool with one slice and a node selection as in {@code DeviceText#scope}. */
    Case poolOn(String where, String pool, String... devices) {
        return part(pool + "-slice-" + slices.size(), pool, 1, 1, where, devices);
    }

    /** Adds a slice. */
    Case part(String slice, String pool, long generation, long count, String where, String... devices) {
        slices.add(Objects.slice(slice, pool, generation, count, where, devices));
        return this;
    }

    Case slice(ResourceSlice slice) {
        slices.add(slice);
        return this;
    }

    Case classes(DeviceClass... more) {
        classes.addAll(List.of(more));
        return this;
    }

    Case rule(DeviceTaintRule rule) {
        rules.add(rule);
        return this;
    }

    Case without(Feature feature) {
        features = features.with(feature, false);
        return this;
    }

    Case held(String pool, String... devices) {
        for (String device : devices) {
            held.add(new DeviceId(Objects.DRIVER, pool, device));
        }
        return this;
    }

    Case claim(String spec) {
        claims.add(ClaimText.spec(spec));
        return this;
    }

    // ---- expectations

    /** Expects these results of the next claim: {@code request pool/device}, with {@code !} for admin access. */
    Case gives(String... expected) {
        results.add(String.join(", ", expected));
        return this;
    }

    /** Expects this configuration of the next claim: {@code FromClass [requests] text}. */
    Case with(String... expected) {
        config.add(String.join(", ", expected));
        return this;
    }

    /** Expects this node selector of the next claim; empty for none. */
    Case reachedFrom(String expected) {
        selectors.add(expected);
        return this;
    }

    /** Expects at most this number of search steps, which is the number of upstream's calls. */
    Case within(long steps) {
        stepsMax = steps;
        return this;
    }

    /** Creates a test that expects an allocation. */
    DynamicTest fits() {
        return dynamicTest(name, () -> {
            Answer answer = Upstream.allocate(problem(), SELECTORS, node());
            assertThat(answer).isInstanceOfSatisfying(Answer.Fits.class, fits -> compare(fits.allocations()));
            AllocationPlan plan = plan();
            assertThat(plan)
                    .isInstanceOfSatisfying(AllocationPlan.Allocated.class, placed -> compare(placed.allocations()));
            assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
        });
    }

    /** Creates a test that expects a pending item with one of these reasons, and no error of the oracle. */
    DynamicTest misses(Reason... because) {
        return dynamicTest(name, () -> {
            assertThat(Upstream.allocate(problem(), SELECTORS, node())).isInstanceOf(Answer.No.class);
            AllocationPlan plan = plan();
            assertThat(plan)
                    .isInstanceOfSatisfying(
                            AllocationPlan.Pending.class,
                            unplaced -> assertThat(because)
                                    .contains(unplaced.diagnosis().reason()));
            assertThat(plan.steps()).isLessThanOrEqualTo(stepsMax);
        });
    }

    /** Creates a test that expects an error of the oracle, and a pending item with this reason and message. */
    DynamicTest fails(Reason because, String message) {
        return dynamicTest(name, () -> {
            assertThat(Upstream.allocate(problem(), SELECTORS, node())).isInstanceOf(Answer.Fails.class);
            assertThat(plan()).isInstanceOfSatisfying(AllocationPlan.Pending.class, unplaced -> {
                assertThat(unplaced.diagnosis().reason()).isEqualTo(because);
                assertThat(unplaced.diagnosis().message()).contains(message);
            });
        });
    }

    private void compare(List<Allocation> allocations) {
        assertThat(allocations.stream().map(Case::devices)).containsExactlyElementsOf(results);
        if (!config.isEmpty()) {
            assertThat(allocations.stream().map(Case::parameters)).containsExactlyElementsOf(config);
        }
        if (!selectors.isEmpty()) {
            assertThat(allocations.stream().map(Case::reach)).containsExactlyElementsOf(selectors);
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

    private static String reach(Allocation allocation) {
        return allocation.nodeSelector().map(NodeSelector::terms).orElse(List.of()).stream()
                .flatMap(term -> {
                    List<NodeSelector.Requirement> all = new ArrayList<>(term.matchFields());
                    all.addAll(term.matchExpressions());
                    return all.stream();
                })
                .map(each -> each.key() + " " + each.operator() + " " + each.values())
                .collect(Collectors.joining(", "));
    }

    private Problem problem() {
        List<DeviceClass> all = new ArrayList<>(classes);
        Collections.addAll(all, Objects.deviceClass("class-a"), Objects.deviceClass("class-b"));
        return new Problem(List.of(node()), slices, rules, all, held, claims);
    }

    private static Node node() {
        return Objects.node("node-1", "region=region-1");
    }

    private AllocationPlan plan() {
        Problem problem = problem();
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
