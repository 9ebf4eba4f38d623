package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Converts a search solution to the allocations of the claims: results, parameters and node selector.
 *
 * <p>Source: the end of {@code Allocate}, and {@code createNodeSelector}, in kube-scheduler's structured allocator.
 */
final class AllocationBuilder {
    private final AllocationProblem problem;
    private final String node;
    private final ShareIds shareIds;

    AllocationBuilder(AllocationProblem problem, String node, ShareIds shareNames) {
        this.problem = problem;
        this.node = node;
        this.shareIds = shareNames;
    }

    /** A device that the solution assigns to a request option. */
    record DeviceAssignment(RequestOption option, DeviceCandidate candidate) {
        /** Returns the first taint of the device that the request does not tolerate. */
        Optional<Taint> untoleratedTaint() {
            return Toleration.firstUntolerated(
                    candidate.device().taints(), option.spec().tolerations());
        }
    }

    static List<Allocation> of(AllocationProblem problem, NodeRanking.NodeCandidate fit, ShareIds shareNames) {
        var builder = new AllocationBuilder(problem, fit.node().name(), shareNames);
        List<Allocation> allocations = new ArrayList<>();
        for (int claim = 0; claim < problem.requests().size(); claim++) {
            allocations.add(builder.allocation(claim, assignments(problem, fit, claim)));
        }
        return allocations;
    }

    /** Returns the assignments of all claims, in the order of claims. */
    static List<DeviceAssignment> assignments(AllocationProblem problem, NodeRanking.NodeCandidate fit) {
        List<DeviceAssignment> all = new ArrayList<>();
        for (int claim = 0; claim < problem.requests().size(); claim++) {
            all.addAll(assignments(problem, fit, claim));
        }
        return all;
    }

    /** Returns the assignments of one claim, by request and then in the published order of devices. */
    static List<DeviceAssignment> assignments(AllocationProblem problem, NodeRanking.NodeCandidate fit, int claim) {
        List<int[]> order = new ArrayList<>();
        for (int i = 0; i < fit.outcome().columns().length; i++) {
            int column = fit.outcome().columns()[i];
            if (problem.options().get(column).claim() == claim) {
                order.add(new int[] {
                    column, fit.nodeClass().layout.positions[fit.outcome().devices()[i]]
                });
            }
        }
        order.sort((a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : Integer.compare(a[1], b[1]));
        return order.stream()
                .map(each -> new DeviceAssignment(
                        problem.options().get(each[0]), fit.node().candidates().get(each[1])))
                .toList();
    }

    private Allocation allocation(int claim, List<DeviceAssignment> assignments) {
        List<DeviceResult> results = assignments.stream().map(this::result).toList();
        return new Allocation(results, config(claim, assignments), nodeSelector(assignments), Optional.empty());
    }

    private DeviceResult result(DeviceAssignment assignment) {
        RequestOption option = assignment.option;
        Device device = assignment.candidate.device();
        DeviceId id = assignment.candidate.usage().device();
        boolean isShared = problem.isShareable(device);
        return DeviceResult.builder(option.resultName(), id)
                .adminAccess(option.hasAdminAccess())
                .tolerations(option.spec().tolerations())
                .bindingConditions(problem.hasBindingConditions() ? device.bindingConditions() : List.of())
                .bindingFailureConditions(
                        problem.hasBindingConditions() ? device.bindingFailureConditions() : List.of())
                .shareId(
                        isShared ? Optional.of(shareIds.of(option.claim(), option.resultName(), id)) : Optional.empty())
                .consumedCapacity(problem.consumed(option, device))
                .skipNodeOperations(assignment.candidate.slice().skipNodeOperations())
                .build();
    }

    // ---- parameters
    // ------------------------------------------------------------------------------------------------------------

    private List<AllocationConfig> config(int claim, List<DeviceAssignment> assignments) {
        ClaimSpec spec = problem.shape().specs().get(claim);
        List<RequestOption> chosen = chosenOptions(claim, assignments);
        List<AllocationConfig> config = new ArrayList<>(ofClasses(chosen));
        for (ClaimConfig each : spec.config()) {
            if (appliesTo(each.requests(), chosen)) {
                config.add(new AllocationConfig(
                        AllocationConfig.AllocationConfigSource.FROM_CLAIM, each.requests(), each.opaque()));
            }
        }
        return config.stream()
                .map(each -> withoutRedundantRequests(each, chosen))
                .toList();
    }

    /** Returns the selected alternative of each request; a request for zero devices has no assignment and no entry. */
    private List<RequestOption> chosenOptions(int claim, List<DeviceAssignment> assignments) {
        List<RequestOption> chosen = new ArrayList<>();
        for (List<RequestOption> alternatives : problem.requests().get(claim)) {
            assignments.stream()
                    .map(DeviceAssignment::option)
                    .filter(alternatives::contains)
                    .findFirst()
                    .ifPresent(chosen::add);
        }
        return chosen;
    }

    private static List<AllocationConfig> ofClasses(List<RequestOption> chosen) {
        var classes = new LinkedHashSet<String>();
        chosen.forEach(option -> classes.add(option.deviceClass().meta().name()));
        List<AllocationConfig> config = new ArrayList<>();
        for (String name : classes) {
            List<RequestOption> ofClass = chosen.stream()
                    .filter(option -> option.deviceClass().meta().name().equals(name))
                    .toList();
            List<String> requests =
                    ofClass.stream().map(RequestOption::resultName).toList();
            for (OpaqueConfig opaque : ofClass.getFirst().deviceClass().config()) {
                config.add(new AllocationConfig(AllocationConfig.AllocationConfigSource.FROM_CLASS, requests, opaque));
            }
        }
        return config;
    }

    private static boolean appliesTo(List<String> requests, List<RequestOption> chosen) {
        return requests.isEmpty()
                || chosen.stream()
                        .anyMatch(option ->
                                requests.contains(option.request()) || requests.contains(option.resultName()));
    }

    /** Clears the request list of an entry that covers all requests; an empty list has the same meaning. */
    private static AllocationConfig withoutRedundantRequests(AllocationConfig config, List<RequestOption> chosen) {
        boolean coversAll = chosen.stream()
                .allMatch(option -> config.requests().contains(option.request())
                        || config.requests().contains(option.resultName()));
        return coversAll ? new AllocationConfig(config.source(), List.of(), config.opaque()) : config;
    }

    // ---- nodes
    // -----------------------------------------------------------------------------------------------------------------

    private Optional<NodeSelector> nodeSelector(List<DeviceAssignment> assignments) {
        List<NodeSelector.Requirement> expressions = new ArrayList<>();
        List<NodeSelector.Requirement> fields = new ArrayList<>();
        for (DeviceAssignment assignment : assignments) {
            NodeScope scope = assignment.candidate.scope();
            if (scope instanceof NodeScope.SingleNode
                    || assignment.candidate.device().bindsToNode()) {
                return Optional.of(NodeSelector.ofNode(node));
            }
            if (scope instanceof NodeScope.MatchingNodes matching) {
                matching.selector().terms().forEach(term -> {
                    addNew(expressions, term.matchExpressions());
                    addNew(fields, term.matchFields());
                });
            }
        }
        return expressions.isEmpty() && fields.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(expressions, fields))));
    }

    private static void addNew(List<NodeSelector.Requirement> known, List<NodeSelector.Requirement> more) {
        for (NodeSelector.Requirement each : more) {
            if (known.stream().noneMatch(other -> isSame(other, each))) {
                known.add(each);
            }
        }
    }

    private static boolean isSame(NodeSelector.Requirement one, NodeSelector.Requirement other) {
        return one.key().equals(other.key())
                && one.operator().equals(other.operator())
                && new TreeSet<>(one.values()).equals(new TreeSet<>(other.values()));
    }
}
