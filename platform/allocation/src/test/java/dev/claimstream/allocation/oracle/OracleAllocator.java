package dev.claimstream.allocation.oracle;

import dev.claimstream.allocation.oracle.OraclePools.OraclePool;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A naive reimplementation of {@code Allocate} of {@code k8s.io/dynamic-resource-allocation} for one node.
 *
 * <p>It gathers pools, validates the claims and searches depth first, without pruning or memoization.
 *
 * <p>Admin access, prioritized list, taints, binding conditions and per-device node selection are enabled. Consumable
 * capacity and list attributes are disabled. Devices that consume counters are never selectable.
 */
public final class OracleAllocator {
    private static final int RESULTS_MAX = 32;
    private static final long CALLS_MAX = 300_000;

    private final OracleProblem problem;
    private final Selectors selectors;
    private final Node node;
    private final List<OraclePool> pools;
    private final List<OracleCandidate> candidates = new ArrayList<>();
    private final List<List<SelectedDevice>> results = new ArrayList<>();
    private final List<List<RequestPart>> parts = new ArrayList<>();
    private long calls;

    private OracleAllocator(OracleProblem problem, Selectors selectors, Node node) {
        this.problem = problem;
        this.selectors = selectors;
        this.node = node;
        this.pools = OraclePools.gather(problem.slices(), node);
    }

    /** A device in search order. */
    record OracleCandidate(ResourceSlice slice, Device device) {
        DeviceId id() {
            return new DeviceId(slice.driver(), slice.pool(), device.name());
        }

        NodeScope scope() {
            return slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
        }
    }

    /**
     * A request or one of its alternatives.
     *
     * @param sub name of the alternative; empty for a plain request
     * @param all devices of allocation mode All
     */
    record RequestPart(DeviceRequest request, String sub, RequestSpec spec, boolean admin, List<OracleCandidate> all) {
        String resultName() {
            return sub.isEmpty() ? request.name() : request.name() + "/" + sub;
        }

        boolean requestsAll() {
            return spec.allocationMode().equals(AllocationMode.ALL);
        }
    }

    /** A device that the search selected for a request. */
    record SelectedDevice(RequestPart part, OracleCandidate candidate) {}

    private enum OracleSearchResult {
        YES,
        NO,
        MAX_SIZE
    }

    /** An error that ends the allocation. */
    private static final class OracleException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OracleException(String message) {
            super(message, null, false, false);
        }
    }

    /** The search exceeds {@link #CALLS_MAX}. */
    private static final class CallLimitException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Allocates the claims of a problem on one node. */
    public static OracleResult allocate(OracleProblem problem, Selectors selectors, Node node) {
        var upstream = new OracleAllocator(problem, selectors, node);
        try {
            return upstream.allocate();
        } catch (OracleException e) {
            return new OracleResult.Fails(String.valueOf(e.getMessage()), upstream.calls);
        } catch (CallLimitException e) {
            return new OracleResult.TooLong(upstream.calls);
        }
    }

    private OracleResult allocate() {
        for (OraclePool pool : pools) {
            for (ResourceSlice slice : pool.slices()) {
                slice.devices().forEach(device -> candidates.add(new OracleCandidate(slice, device)));
            }
        }
        for (ClaimSpec claim : problem.claims()) {
            validate(claim);
            results.add(new ArrayList<>());
        }
        OracleSearchResult found = allocateOne(0, 0, -1, 0, 0);
        if (found == OracleSearchResult.YES) {
            return new OracleResult.Fits(OracleAllocationBuilder.build(problem, node, results), calls);
        }
        if (pools.stream().anyMatch(OraclePool::invalid)) {
            throw new OracleException("invalid resource pools were encountered");
        }
        return new OracleResult.No(calls);
    }

    // ---- validation

    private void validate(ClaimSpec claim) {
        List<RequestPart> ofClaim = new ArrayList<>();
        long least = 0;
        for (DeviceRequest request : claim.requests()) {
            List<RequestPart> alternatives = alternatives(request);
            ofClaim.addAll(alternatives);
            least += Math.min(
                    RESULTS_MAX + 1,
                    alternatives.stream().mapToLong(this::numDevices).min().orElse(0));
        }
        parts.add(ofClaim);
        if (least > RESULTS_MAX) {
            throw new OracleException("number of requested devices " + least + " exceeds the claim limit of 32");
        }
        if (claim.constraints().stream().anyMatch(DeviceConstraint.UnknownConstraint.class::isInstance)) {
            throw new OracleException("empty constraint (unsupported constraint type?)");
        }
    }

    private List<RequestPart> alternatives(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly ->
                List.of(validatePart(new RequestPart(request, "", exactly.spec(), exactly.admin(), List.of())));
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream()
                        .map(each -> validatePart(new RequestPart(request, each.name(), each.spec(), false, List.of())))
                        .toList();
            case DeviceRequest.UnknownRequest unsupported -> throw new OracleException("unknown request type");
        };
    }

    private RequestPart validatePart(RequestPart part) {
        RequestSpec spec = part.spec();
        if (!spec.capacity().isEmpty()) {
            throw new OracleException("has capacity requests, but the DRAConsumableCapacity feature is disabled");
        }
        if (spec.selectors().contains("")) {
            throw new OracleException("CEL expression empty (unsupported selector type?)");
        }
        if (spec.deviceClassName().isEmpty()) {
            throw new OracleException("missing device class name (unsupported request type?)");
        }
        if (deviceClass(spec).isEmpty()) {
            throw new OracleException("could not retrieve device class " + spec.deviceClassName());
        }
        if (part.requestsAll()) {
            return new RequestPart(part.request(), part.sub(), spec, part.admin(), selectableDevices(spec));
        }
        if (!spec.allocationMode().equals(AllocationMode.EXACT_COUNT)) {
            throw new OracleException(
                    "unsupported count mode " + spec.allocationMode().name());
        }
        return part;
    }

    private List<OracleCandidate> selectableDevices(RequestSpec spec) {
        for (OraclePool pool : pools) {
            if (pool.incomplete()) {
                throw new OracleException(
                        "asks for all devices, but resource pool " + pool.id() + " is currently being updated");
            }
            if (pool.invalid()) {
                throw new OracleException(
                        "asks for all devices, but resource pool " + pool.id() + " is currently invalid");
            }
        }
        return candidates.stream().filter(each -> isSelectable(spec, each)).toList();
    }

    private long numDevices(RequestPart part) {
        return part.requestsAll() ? part.all().size() : part.spec().count();
    }

    Optional<DeviceClass> deviceClass(RequestSpec spec) {
        return problem.classes().stream()
                .filter(each -> each.meta().name().equals(spec.deviceClassName()))
                .findFirst();
    }

    // ---- search

    private OracleSearchResult allocateOne(int c, int q, int s, int k, int start) {
        if (++calls > CALLS_MAX) {
            throw new CallLimitException();
        }
        if (c == problem.claims().size()) {
            return OracleSearchResult.YES;
        }
        List<DeviceRequest> requests = problem.claims().get(c).requests();
        if (q == requests.size()) {
            return allocateOne(c + 1, 0, -1, 0, 0) == OracleSearchResult.YES
                    ? OracleSearchResult.YES
                    : OracleSearchResult.NO;
        }
        if (requests.get(q) instanceof DeviceRequest.FirstAvailable first && s < 0) {
            return allocateFirstAvailable(c, q, first);
        }
        RequestPart part = part(c, requests.get(q), s);
        if (part.requestsAll() && part.all().isEmpty()) {
            return OracleSearchResult.NO;
        }
        long num = numDevices(part);
        if (k >= num) {
            return allocateOne(c, q + 1, -1, 0, 0);
        }
        if (results.get(c).size() + num - k > RESULTS_MAX) {
            return OracleSearchResult.MAX_SIZE;
        }
        return part.requestsAll() ? allocateNextOfAll(c, q, s, k, part) : allocateAnyFrom(c, q, s, k, start, part);
    }

    private OracleSearchResult allocateFirstAvailable(int c, int q, DeviceRequest.FirstAvailable first) {
        boolean allExceeded = true;
        for (int s = 0; s < first.alternatives().size(); s++) {
            OracleSearchResult result = allocateOne(c, q, s, 0, 0);
            if (result == OracleSearchResult.YES) {
                return result;
            }
            allExceeded &= result == OracleSearchResult.MAX_SIZE;
        }
        return allExceeded ? OracleSearchResult.MAX_SIZE : OracleSearchResult.NO;
    }

    private RequestPart part(int c, DeviceRequest request, int s) {
        return parts.get(c).stream()
                .filter(each -> each.request().equals(request))
                .toList()
                .get(Math.max(s, 0));
    }

    private OracleSearchResult allocateNextOfAll(int c, int q, int s, int k, RequestPart part) {
        OracleCandidate candidate = part.all().get(k);
        if (!allocateDevice(c, part, candidate, true)) {
            return OracleSearchResult.NO;
        }
        OracleSearchResult result = allocateOne(c, q, s, k + 1, 0);
        if (result != OracleSearchResult.YES) {
            results.get(c).removeLast();
        }
        return result;
    }

    private OracleSearchResult allocateAnyFrom(int c, int q, int s, int k, int start, RequestPart part) {
        for (int i = start; i < candidates.size(); i++) {
            OracleCandidate candidate = candidates.get(i);
            if (isInUse(c, part, candidate)
                    || !isSelectable(part.spec(), candidate)
                    || !allocateDevice(c, part, candidate, false)) {
                continue;
            }
            OracleSearchResult result = allocateOne(c, q, s, k + 1, i + 1);
            if (result == OracleSearchResult.YES) {
                return result;
            }
            results.get(c).removeLast();
            if (result == OracleSearchResult.MAX_SIZE) {
                return result;
            }
        }
        return OracleSearchResult.NO;
    }

    private boolean isInUse(int c, RequestPart part, OracleCandidate candidate) {
        if (part.admin()) {
            return results.get(c).stream().anyMatch(each -> each.candidate.equals(candidate));
        }
        return problem.allocatedDevices().contains(candidate.id())
                || results.stream().flatMap(List::stream).anyMatch(each -> each.candidate.equals(candidate));
    }

    private boolean isSelectable(RequestSpec spec, OracleCandidate candidate) {
        List<String> expressions =
                new ArrayList<>(deviceClass(spec).orElseThrow().selectors());
        expressions.addAll(spec.selectors());
        for (String expression : expressions) {
            Selector.Match match =
                    selectors.compile(expression).test(candidate.slice.driver(), withTaintRules(candidate));
            if (match instanceof Selector.Match.SelectorError failed) {
                throw new OracleException("selector on device %s: %s".formatted(candidate.id(), failed.message()));
            }
            if (match instanceof Selector.Match.SelectorMismatch) {
                return false;
            }
        }
        boolean isReached = !(candidate.slice.scope() instanceof NodeScope.PerDevice)
                || OraclePools.matches(candidate.device.scope(), node);
        return isReached && candidate.device.consumesCounters().isEmpty();
    }

    private boolean allocateDevice(int c, RequestPart part, OracleCandidate candidate, boolean must) {
        if (isInUse(c, part, candidate) || isTainted(part, candidate)) {
            return false;
        }
        for (DeviceConstraint constraint : problem.claims().get(c).constraints()) {
            if (!satisfies(constraint, c, part, candidate)) {
                if (must) {
                    throw new OracleException("cannot add device %s because a claim constraint would not be satisfied"
                            .formatted(candidate.id()));
                }
                return false;
            }
        }
        results.get(c).add(new SelectedDevice(part, candidate));
        return true;
    }

    private boolean isTainted(RequestPart part, OracleCandidate candidate) {
        return withTaintRules(candidate).taints().stream()
                .filter(taint -> Set.of("NoSchedule", "NoExecute").contains(taint.effect()))
                .anyMatch(taint -> part.spec().tolerations().stream().noneMatch(each -> each.tolerates(taint)));
    }

    private Device withTaintRules(OracleCandidate candidate) {
        List<Taint> taints = new ArrayList<>(candidate.device.taints());
        problem.rules().stream()
                .filter(rule -> rule.selects(candidate.id()))
                .map(DeviceTaintRule::taint)
                .forEach(taints::add);
        return candidate.device.withTaints(taints);
    }

    // ---- constraints

    private boolean satisfies(DeviceConstraint constraint, int c, RequestPart part, OracleCandidate candidate) {
        if (!appliesTo(constraint, part)) {
            return true;
        }
        List<AttributeValue> before = new ArrayList<>();
        for (SelectedDevice picked : results.get(c)) {
            if (appliesTo(constraint, picked.part)) {
                before.add(attribute(constraint, picked.candidate).orElseThrow());
            }
        }
        Optional<AttributeValue> value = attribute(constraint, candidate);
        if (value.isEmpty()) {
            return false;
        }
        if (before.isEmpty()) {
            return true;
        }
        boolean isScalar = isScalar(value.get());
        return switch (constraint) {
            case DeviceConstraint.MatchAttribute match ->
                isScalar && value.get().equals(before.getFirst());
            case DeviceConstraint.DistinctAttribute distinct -> isScalar && !before.contains(value.get());
            case DeviceConstraint.UnknownConstraint unsupported ->
                throw new IllegalStateException("was refused before");
        };
    }

    private static boolean appliesTo(DeviceConstraint constraint, RequestPart part) {
        return constraint.requests().isEmpty()
                || constraint.requests().contains(part.request.name())
                || constraint.requests().contains(part.resultName());
    }

    private static Optional<AttributeValue> attribute(DeviceConstraint constraint, OracleCandidate candidate) {
        String name = constraint instanceof DeviceConstraint.MatchAttribute match
                ? match.attribute()
                : ((DeviceConstraint.DistinctAttribute) constraint).attribute();
        Set<String> keys = new LinkedHashSet<>(List.of(name));
        if (name.startsWith(candidate.slice.driver() + "/")) {
            keys.add(name.substring(candidate.slice.driver().length() + 1));
        }
        return keys.stream()
                .flatMap(
                        key -> Optional.ofNullable(candidate.device.attributes().get(key)).stream())
                .findFirst();
    }

    private static boolean isScalar(AttributeValue value) {
        return value instanceof AttributeValue.IntValue
                || value instanceof AttributeValue.BoolValue
                || value instanceof AttributeValue.StringValue
                || value instanceof AttributeValue.VersionValue;
    }
}
