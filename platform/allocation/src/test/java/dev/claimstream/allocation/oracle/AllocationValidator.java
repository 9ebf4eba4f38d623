package dev.claimstream.allocation.oracle;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks allocations against the rules of the API, independently of the order of the search. */
public final class AllocationValidator {
    private final OracleProblem problem;
    private final Selectors selectors;
    private final Node node;
    private final List<String> violations = new ArrayList<>();
    private final SortedMap<DeviceId, VisibleDevice> visibleDevices = new TreeMap<>();

    private AllocationValidator(OracleProblem problem, Selectors selectors, Node node) {
        this.problem = problem;
        this.selectors = selectors;
        this.node = node;
        for (OraclePools.OraclePool pool : OraclePools.gather(problem.slices(), node)) {
            for (ResourceSlice slice : pool.slices()) {
                slice.devices().forEach(device -> addDevice(slice, device));
            }
        }
    }

    private record VisibleDevice(ResourceSlice slice, Device device) {}

    private void addDevice(ResourceSlice slice, Device device) {
        var id = new DeviceId(slice.driver(), slice.pool(), device.name());
        List<Taint> taints = new ArrayList<>(device.taints());
        problem.rules().stream().filter(rule -> rule.selects(id)).forEach(rule -> taints.add(rule.taint()));
        visibleDevices.put(id, new VisibleDevice(slice, device.withTaints(taints)));
    }

    /** The violated rules of allocations on a node; empty if the allocations are valid. */
    public static List<String> violations(
            OracleProblem problem, Selectors selectors, Node node, List<Allocation> allocations) {
        var validity = new AllocationValidator(problem, selectors, node);
        validity.check(allocations);
        return validity.violations;
    }

    private void check(List<Allocation> allocations) {
        var owners = new TreeMap<DeviceId, Integer>();
        for (int c = 0; c < problem.claims().size(); c++) {
            List<DeviceResult> results = allocations.get(c).results();
            for (DeviceResult result : results) {
                if (!result.adminAccess()) {
                    expect(!owners.containsKey(result.device()), "device %s is given twice".formatted(result.device()));
                    owners.put(result.device(), c);
                }
            }
            checkClaim(problem.claims().get(c), allocations.get(c));
        }
    }

    private void expect(boolean isTrue, String otherwise) {
        if (!isTrue) {
            violations.add(otherwise);
        }
    }

    private void checkClaim(ClaimSpec claim, Allocation allocation) {
        List<DeviceResult> results = allocation.results();
        expect(results.size() <= 32, "more than 32 devices");
        long distinct = results.stream().map(DeviceResult::device).distinct().count();
        expect(distinct == results.size(), "a device twice in one claim");
        int checked = 0;
        for (DeviceRequest request : claim.requests()) {
            List<DeviceResult> resultsOfRequest = results.stream()
                    .filter(each -> each.request().equals(request.name())
                            || each.request().startsWith(request.name() + "/"))
                    .toList();
            expect(
                    results.subList(checked, checked + resultsOfRequest.size()).equals(resultsOfRequest),
                    "results are not in the order of requests");
            checked += resultsOfRequest.size();
            checkRequest(request, resultsOfRequest);
        }
        expect(checked == results.size(), "results for requests that do not exist");
        claim.constraints().forEach(constraint -> checkConstraint(constraint, results));
        allocation
                .nodeSelector()
                .ifPresent(each -> expect(
                        each.matches(node.meta().name(), node.meta().labels()), "the node is not selected by " + each));
    }

    private void checkRequest(DeviceRequest request, List<DeviceResult> results) {
        List<DeviceRequest.Alternative> alternatives = switch (request) {
            case DeviceRequest.Exactly exactly ->
                List.of(new DeviceRequest.Alternative(exactly.name(), exactly.spec()));
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream()
                        .map(each -> new DeviceRequest.Alternative(first.name() + "/" + each.name(), each.spec()))
                        .toList();
            case DeviceRequest.UnknownRequest unsupported -> List.of();
        };
        boolean admin = request instanceof DeviceRequest.Exactly exactly && exactly.admin();
        Optional<DeviceRequest.Alternative> chosen = alternatives.stream()
                .filter(each -> results.stream().allMatch(one -> one.request().equals(each.name())))
                .findFirst();
        expect(chosen.isPresent(), "request %s mixes alternatives".formatted(request.name()));
        chosen.ifPresent(each -> checkDevices(each.spec(), admin, results));
    }

    private void checkDevices(RequestSpec spec, boolean admin, List<DeviceResult> results) {
        long wanted = spec.allocationMode().equals(AllocationMode.ALL)
                ? visibleDevices.keySet().stream()
                        .filter(each -> isSelected(spec, each))
                        .count()
                : spec.count();
        expect(results.size() == wanted, "%d devices instead of %d".formatted(results.size(), wanted));
        for (DeviceResult result : results) {
            DeviceId id = result.device();
            expect(result.adminAccess() == admin, "admin access of " + id);
            expect(visibleDevices.containsKey(id), "%s is not in a usable pool of the node".formatted(id));
            expect(admin || !problem.allocatedDevices().contains(id), "%s is held".formatted(id));
            expect(isSelected(spec, id), "%s is not selected".formatted(id));
            expect(result.tolerations().equals(spec.tolerations()), "tolerations of " + id);
            for (Taint taint : device(id).taints()) {
                boolean repels =
                        taint.effect().startsWith("No") && !taint.effect().equals("None");
                expect(
                        !repels || spec.tolerations().stream().anyMatch(each -> each.tolerates(taint)),
                        "%s carries %s".formatted(id, taint));
            }
        }
    }

    private Device device(DeviceId id) {
        return Optional.ofNullable(visibleDevices.get(id)).orElseThrow().device();
    }

    private boolean isSelected(RequestSpec spec, DeviceId id) {
        VisibleDevice each = Optional.ofNullable(visibleDevices.get(id)).orElseThrow();
        List<String> expressions =
                new ArrayList<>(Optional.ofNullable(problem.classesByName().get(spec.deviceClassName()))
                        .orElseThrow()
                        .selectors());
        expressions.addAll(spec.selectors());
        boolean isReached = !(each.slice().scope() instanceof NodeScope.PerDevice)
                || OraclePools.matches(each.device().scope(), node);
        return isReached
                && each.device().consumesCounters().isEmpty()
                && expressions.stream()
                        .allMatch(text ->
                                selectors.compile(text).test(each.slice().driver(), each.device())
                                        instanceof Selector.Match.SelectorMatch);
    }

    private void checkConstraint(DeviceConstraint constraint, List<DeviceResult> results) {
        List<AttributeValue> values = new ArrayList<>();
        for (DeviceResult result : results) {
            boolean isBound = constraint.requests().isEmpty()
                    || constraint.requests().contains(result.request())
                    || constraint.requests().contains(result.request().replaceFirst("/.*", ""));
            if (isBound) {
                Optional<AttributeValue> value = value(constraint, result.device());
                expect(value.isPresent(), "%s lacks the attribute of %s".formatted(result.device(), constraint));
                value.ifPresent(values::add);
            }
        }
        long distinct = values.stream().distinct().count();
        switch (constraint) {
            case DeviceConstraint.MatchAttribute match -> expect(distinct <= 1, "not all match: " + values);
            case DeviceConstraint.DistinctAttribute other ->
                expect(distinct == values.size(), "not distinct: " + values);
            case DeviceConstraint.UnknownConstraint unsupported ->
                violations.add("an unsupported constraint was passed over");
        }
    }

    private Optional<AttributeValue> value(DeviceConstraint constraint, DeviceId id) {
        String name = constraint instanceof DeviceConstraint.MatchAttribute match
                ? match.attribute()
                : ((DeviceConstraint.DistinctAttribute) constraint).attribute();
        SortedMap<String, AttributeValue> attributes = device(id).attributes();
        return Optional.ofNullable(attributes.get(name))
                .or(() -> Optional.ofNullable(attributes.get(
                        name.startsWith(id.driver() + "/")
                                ? name.substring(id.driver().length() + 1)
                                : name)));
    }
}
