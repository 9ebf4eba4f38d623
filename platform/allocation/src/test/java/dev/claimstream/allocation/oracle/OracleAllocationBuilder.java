package dev.claimstream.allocation.oracle;

import dev.claimstream.allocation.oracle.OracleAllocator.SelectedDevice;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.OpaqueConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds allocations from selected devices, as the end of upstream's {@code Allocate}. */
final class OracleAllocationBuilder {
    private OracleAllocationBuilder() {}

    static List<Allocation> build(OracleProblem problem, Node node, List<List<SelectedDevice>> results) {
        List<Allocation> written = new ArrayList<>();
        for (int c = 0; c < results.size(); c++) {
            List<DeviceResult> devices =
                    results.get(c).stream().map(OracleAllocationBuilder::result).toList();
            written.add(new Allocation(
                    devices,
                    config(problem, problem.claims().get(c), results.get(c)),
                    nodeSelector(node, results.get(c)),
                    Optional.empty()));
        }
        return written;
    }

    private static DeviceResult result(SelectedDevice picked) {
        return DeviceResult.builder(
                        picked.part().resultName(), picked.candidate().id())
                .adminAccess(picked.part().admin())
                .tolerations(picked.part().spec().tolerations())
                .bindingConditions(picked.candidate().device().bindingConditions())
                .bindingFailureConditions(picked.candidate().device().bindingFailureConditions())
                .build();
    }

    private static List<AllocationConfig> config(OracleProblem problem, ClaimSpec claim, List<SelectedDevice> picks) {
        Map<String, String> selected = new LinkedHashMap<>();
        List<AllocationConfig> config = new ArrayList<>();
        Map<String, List<String>> requestsOfClass = new LinkedHashMap<>();
        for (DeviceRequest request : claim.requests()) {
            SelectedDevice first = picks.stream()
                    .filter(each -> each.part().request().equals(request))
                    .findFirst()
                    .orElseThrow();
            selected.put(request.name(), first.part().resultName());
            requestsOfClass
                    .computeIfAbsent(first.part().spec().deviceClassName(), key -> new ArrayList<>())
                    .add(first.part().resultName());
        }
        requestsOfClass.forEach((name, requests) -> {
            DeviceClass deviceClass =
                    problem.classesByName().getOrDefault(name, problem.classes().getFirst());
            for (OpaqueConfig opaque : deviceClass.config()) {
                config.add(new AllocationConfig(AllocationConfig.AllocationConfigSource.FROM_CLASS, requests, opaque));
            }
        });
        for (ClaimConfig each : claim.config()) {
            boolean isIncluded = each.requests().isEmpty()
                    || selected.keySet().stream().anyMatch(each.requests()::contains)
                    || selected.values().stream().anyMatch(each.requests()::contains);
            if (isIncluded) {
                config.add(new AllocationConfig(
                        AllocationConfig.AllocationConfigSource.FROM_CLAIM, each.requests(), each.opaque()));
            }
        }
        return config.stream()
                .map(each -> selected.entrySet().stream()
                                .allMatch(one -> each.requests().contains(one.getKey())
                                        || each.requests().contains(one.getValue()))
                        ? new AllocationConfig(each.source(), List.of(), each.opaque())
                        : each)
                .toList();
    }

    private static Optional<NodeSelector> nodeSelector(Node node, List<SelectedDevice> picks) {
        var expressions = new LinkedHashSet<NodeSelector.Requirement>();
        for (SelectedDevice picked : picks) {
            if (picked.candidate().device().bindsToNode()
                    || picked.candidate().scope() instanceof NodeScope.SingleNode) {
                return Optional.of(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(),
                        List.of(new NodeSelector.Requirement(
                                "metadata.name", "In", List.of(node.meta().name())))))));
            }
            if (picked.candidate().scope() instanceof NodeScope.MatchingNodes matching) {
                matching.selector().terms().forEach(term -> expressions.addAll(term.matchExpressions()));
            }
        }
        return expressions.isEmpty()
                ? Optional.empty()
                : Optional.of(new NodeSelector(List.of(new NodeSelector.Term(List.copyOf(expressions), List.of()))));
    }
}
