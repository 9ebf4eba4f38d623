package dev.claimstream.allocation.oracle;

import dev.claimstream.allocation.oracle.Pools.Pool;
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
public final class Upstream {
    private static final int RESULTS_MAX = 32;
    private static final long CALLS_MAX = 300_000;

    private final Problem problem;
    private final Selectors selectors;
    private final Node node;
    private final List<Pool> pools;
    private final List<Candidate> candidates = new ArrayList<>();
    private final List<List<Picked>> results = new ArrayList<>();
    private final List<List<Part>> parts = new ArrayList<>();
    private long calls;

    private Upstream(Problem problem, Selectors selectors, Node node) {
        this.problem = problem;
        this.selectors = selectors;
        this.node = node;
        this.pools = Pools.gather(problem.slices(), node);
    }

    /** A device in search order. */
    record Candidate(ResourceSlice slice, Device device) {
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
    record Part(DeviceRequest request, String sub, RequestSpec spec, boolean admin, List<Candidate> all) {
        String resultName() {
            return sub.isEmpty() ? request.name() : request.name() + "/" + sub;
        }

        boolean wantsAll() {
            return spec.allocationMode().equals(AllocationMode.ALL);
        }
    }

    /** A device that the search selected for a request. */
    record Picked(Part part, Candidate candidate) {}

    private enum Result {
        YES,
        NO,
        MAX_SIZE
    }

    /** An error that ends the allocation. */
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure(String message) {
            super(message, null, false, false);
        }
    }

    /** The search exceeds {@link #CALLS_MAX}. */
    private static final class GaveUp extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Allocates the claims of a problem on one node. */
    public static Answer allocate(Problem problem, Selectors selectors, Node node) {
        var upstream = new Upstream(problem, selectors, node);
        try {
            return upstream.allocate();
        } catch (Failure e) {
            return new Answer.Fails(String.valueOf(e.getMessage()), upstream.calls);
        } catch (GaveUp e) {
            return new Answer.TooLong(upstream.calls);
        }
    }

    private Answer allocate() {
        for (Pool pool : pools) {
            for (ResourceSlice slice : pool.slices()) {
                slice.devices().forEach(device -> candidates.add(new Candidate(slice, device)));
            }
        }
        for (ClaimSpec claim : problem.claims()) {
            validate(claim);
            results.add(new ArrayList<>());
        }
        Result found = allocateOne(0, 0, -1, 0, 0);
        if (found == Result.YES) {
            return new Answer.Fits(Written.down(problem, node, results), calls);
        }
        if (pools.stream().anyMatch(Pool::invalid)) {
            throw new Failure("invalid resource pools were encountered");
        }
        return new Answer.No(calls);
    }

    // ---- validation

    private void validate(ClaimSpec claim) {
        List<Part> ofClaim = new ArrayList<>();
        long least = 0;
        for (DeviceRequest request : claim.requests()) {
            List<Part> alternatives = alternatives(request);
            ofClaim.addAll(alternatives);
            least += Math.min(
                    RESULTS_MAX + 1,
                    alternatives.stream().mapToLong(this::numDevices).min().orElse(0));
        }
        parts.add(ofClaim);
        if (least > RESULTS_MAX) {
            throw new Failure("number of requested devices " + least + " exceeds the claim limit of 32");
        }
        if (claim.constraints().stream().anyMatch(DeviceConstraint.UnknownConstraint.class::isInstance)) {
            throw new Failure("empty constraint (unsupported constraint type?)");
        }
    }

    private List<Part> alternatives(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly ->
                List.of(validated(new Part(request, "", exactly.spec(), exactly.admin(), List.of())));
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream()
                        .map(each -> validated(new Part(request, each.name(), each.spec(), false, List.of())))
                        .toList();
            case DeviceRequest.UnknownRequest unsupported -> throw new Failure("unknown request type");
        };
    }

    private Part validated(Part part) {
        RequestSpec spec = part.spec();
        if (!spec.capacity().isEmpty()) {
            throw new Failure("has capacity requests, but the DRAConsumableCapacity feature is disabled");
        }
        if (spec.selectors().contains("")) {
            throw new Failure("CEL expression empty (unsupported selector type?)");
        }
        if (spec.deviceClassName().isEmpty()) {
            throw new Failure("missing device class name (unsupported request type?)");
        }
        if (deviceClass(spec).isEmpty()) {
            throw new Failure("could not retrieve device class " + spec.deviceClassName());
        }
        if (part.wantsAll()) {
            return new Part(part.request(), part.sub(), spec, part.admin(), everything(spec));
        }
        if (!spec.allocationMode().equals(AllocationMode.EXACT_COUNT)) {
            throw new Failure("unsupported count mode " + spec.allocationMode().name());
        }
        return part;
    }

    private List<Candidate> everything(RequestSpec spec) {
        for (Pool pool : pools) {
            if (pool.incomplete()) {
                throw new Failure(
                        "asks for all devices, but resource pool " + pool.id() + " is currently being updated");
            }
            if (pool.invalid()) {
                throw new Failure("asks for all devices, but resource pool " + pool.id() + " is currently invalid");
            }
        }
        return candidates.stream().filter(each -> isSelectable(spec, each)).toList();
    }

    private long numDevices(Part part) {
        return part.wantsAll() ? part.all().size() : part.spec().count();
    }

    Optional<DeviceClass> deviceClass(RequestSpec spec) {
        return problem.classes().stream()
                .filter(each -> each.meta().name().equals(spec.deviceClassName()))
                .findFirst();
    }

    // ---- search

    private Result allocateOne(int c, int q, int s, int k, int start) {
        if (++calls > CALLS_MAX) {
            throw new GaveUp();
        }
        if (c == problem.claims().size()) {
            return Result.YES;
        }
        List<DeviceRequest> requests = problem.claims().get(c).requests();
        if (q == requests.size()) {
            return allocateOne(c + 1, 0, -1, 0, 0) == Result.YES ? Result.YES : Result.NO;
        }
        if (requests.get(q) instanceof DeviceRequest.FirstAvailable first && s < 0) {
            return firstAvailable(c, q, first);
        }
        Part part = part(c, requests.get(q), s);
        if (part.wantsAll() && part.all().isEmpty()) {
            return Result.NO;
        }
        long num = numDevices(part);
        if (k >= num) {
            return allocateOne(c, q + 1, -1, 0, 0);
        }
        if (results.get(c).size() + num - k > RESULTS_MAX) {
            return Result.MAX_SIZE;
        }
        return part.wantsAll() ? nextOfAll(c, q, s, k, part) : anyFrom(c, q, s, k, start, part);
    }

    private Result firstAvailable(int c, int q, DeviceRequest.FirstAvailable first) {
        boolean allExceeded = true;
        for (int s = 0; s < first.alternatives().size(); s++) {
            Result result = allocateOne(c, q, s, 0, 0);
            if (result == Result.YES) {
                return result;
            }
            allExceeded &= result == Result.MAX_SIZE;
        }
        return allExceeded ? Result.MAX_SIZE : Result.NO;
    }

    private Part part(int c, DeviceRequest request, int s) {
        return parts.get(c).stream()
                .filter(each -> each.request().equals(request))
                .toList()
                .get(Math.max(s, 0));
    }

    private Result nextOfAll(int c, int q, int s, int k, Part part) {
        Candidate candidate = part.all().get(k);
        if (!allocateDevice(c, part, candidate, true)) {
            return Result.NO;
        }
        Result result = allocateOne(c, q, s, k + 1, 0);
        if (result != Result.YES) {
            results.get(c).removeLast();
        }
        return result;
    }

    private Result anyFrom(int c, int q, int s, int k, int start, Part part) {
        for (int i = start; i < candidates.size(); i++) {
            Candidate candidate = candidates.get(i);
            if (isInUse(c, part, candidate)
                    || !isSelectable(part.spec(), candidate)
                    || !allocateDevice(c, part, candidate, false)) {
                continue;
            }
            Result result = allocateOne(c, q, s, k + 1, i + 1);
            if (result == Result.YES) {
                return result;
            }
            results.get(c).removeLast();
            if (result == Result.MAX_SIZE) {
                return result;
            }
        }
        return Result.NO;
    }

    private boolean isInUse(int c, Part part, Candidate candidate) {
        if (part.admin()) {
            return results.get(c).stream().anyMatch(each -> each.candidate.equals(candidate));
        }
        return problem.held().contains(candidate.id())
                || results.stream().flatMap(List::stream).anyMatch(each -> each.candidate.equals(candidate));
    }

    private boolean isSelectable(RequestSpec spec, Candidate candidate) {
        List<String> expressions =
                new ArrayList<>(deviceClass(spec).orElseThrow().selectors());
        expressions.addAll(spec.selectors());
        for (String expression : expressions) {
            Selector.Match match = selectors.compile(expression).test(candidate.slice.driver(), withRules(candidate));
            if (match instanceof Selector.Match.SelectorError failed) {
                throw new Failure("selector on device %s: %s".formatted(candidate.id(), failed.message()));
            }
            if (match instanceof Selector.Match.SelectorMismatch) {
                return false;
            }
        }
        boolean isReached = !(candidate.slice.scope() instanceof NodeScope.PerDevice)
                || Pools.matches(candidate.device.scope(), node);
        return isReached && candidate.device.consumesCounters().isEmpty();
    }

    private boolean allocateDevice(int c, Part part, Candidate candidate, boolean must) {
        if (isInUse(c, part, candidate) || isTainted(part, candidate)) {
            return false;
        }
        for (DeviceConstraint constraint : problem.claims().get(c).constraints()) {
            if (!admits(constraint, c, part, candidate)) {
                if (must) {
                    throw new Failure("cannot add device %s because a claim constraint would not be satisfied"
                            .formatted(candidate.id()));
                }
                return false;
            }
        }
        results.get(c).add(new Picked(part, candidate));
        return true;
    }

    private boolean isTainted(Part part, Candidate candidate) {
        return withRules(candidate).taints().stream()
                .filter(taint -> Set.of("NoSchedule", "NoExecute").contains(taint.effect()))
                .anyMatch(taint -> part.spec().tolerations().stream().noneMatch(each -> each.tolerates(taint)));
    }

    private Device withRules(Candidate candidate) {
        List<Taint> taints = new ArrayList<>(candidate.device.taints());
        problem.rules().stream()
                .filter(rule -> rule.selects(candidate.id()))
                .map(DeviceTaintRule::taint)
                .forEach(taints::add);
        return candidate.device.withTaints(taints);
    }

    // ---- constraints

    private boolean admits(DeviceConstraint constraint, int c, Part part, Candidate candidate) {
        if (!binds(constraint, part)) {
            return true;
        }
        List<AttributeValue> before = new ArrayList<>();
        for (Picked picked : results.get(c)) {
            if (binds(constraint, picked.part)) {
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

    private static boolean binds(DeviceConstraint constraint, Part part) {
        return constraint.requests().isEmpty()
                || constraint.requests().contains(part.request.name())
                || constraint.requests().contains(part.resultName());
    }

    private static Optional<AttributeValue> attribute(DeviceConstraint constraint, Candidate candidate) {
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
