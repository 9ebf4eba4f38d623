package dev.claimstream.lint;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.lint.cel.ExpressionLinter;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The devices that are published in a set of manifests, for evaluation of selectors. */
final class PublishedDevices {
    private final CelSelectors selectors = new CelSelectors();
    private final List<PublishedDevice> devices;

    PublishedDevices(List<Manifest> manifests) {
        this.devices = published(manifests);
    }

    /** A device of the highest generation of its pool. */
    record PublishedDevice(DeviceId id, Device device, NodeScope scope) {}

    /** An expression that failed on a device. */
    record SelectorEvaluationError(PublishedDevice device, String message) {}

    /**
     * The devices that match a list of selectors.
     *
     * @param emptyingSelector index of the selector that rejected the last device; absent if devices remain
     * @param failures the first failure by index of the selector
     */
    record DeviceMatches(
            List<PublishedDevice> devices,
            Optional<Integer> emptyingSelector,
            Map<Integer, SelectorEvaluationError> failures) {}

    private static List<PublishedDevice> published(List<Manifest> manifests) {
        List<ResourceSlice> slices = manifests.stream()
                .map(Manifest::object)
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        Map<PoolId, Long> newest = new HashMap<>();
        slices.forEach(slice -> newest.merge(slice.poolId(), slice.generation(), Math::max));
        List<PublishedDevice> all = new ArrayList<>();
        for (ResourceSlice slice : slices) {
            if (slice.generation() == newest.getOrDefault(slice.poolId(), 0L)) {
                slice.devices().forEach(device -> all.add(published(slice, device)));
            }
        }
        return List.copyOf(all);
    }

    private static PublishedDevice published(ResourceSlice slice, Device device) {
        NodeScope scope = slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
        return new PublishedDevice(new DeviceId(slice.driver(), slice.pool(), device.name()), device, scope);
    }

    List<PublishedDevice> devices() {
        return devices;
    }

    /** Returns the names of the drivers, for messages. */
    String drivers() {
        return devices.stream()
                .map(each -> each.id().driver())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** Returns whether an expression can be evaluated; other rules report mistakes in it. */
    boolean isEvaluable(String expression) {
        return !expression.isEmpty()
                && selectors.problem(expression).isEmpty()
                && ExpressionLinter.mistakes(expression).isEmpty();
    }

    /** Filters devices by selectors in their order. A selector that cannot be evaluated matches every device. */
    DeviceMatches filter(List<PublishedDevice> candidates, List<String> expressions) {
        List<PublishedDevice> remaining = candidates;
        Optional<Integer> emptied = Optional.empty();
        Map<Integer, SelectorEvaluationError> failures = new HashMap<>();
        for (int i = 0; i < expressions.size() && emptied.isEmpty(); i++) {
            if (isEvaluable(expressions.get(i))) {
                remaining = filter(remaining, expressions.get(i), i, failures);
                emptied = remaining.isEmpty() ? Optional.of(i) : Optional.empty();
            }
        }
        return new DeviceMatches(remaining, emptied, failures);
    }

    private List<PublishedDevice> filter(
            List<PublishedDevice> candidates,
            String expression,
            int number,
            Map<Integer, SelectorEvaluationError> failures) {
        List<PublishedDevice> passed = new ArrayList<>();
        for (PublishedDevice each : candidates) {
            switch (selectors.compile(expression).test(each.id().driver(), each.device())) {
                case Match.SelectorMatch _ -> passed.add(each);
                case Match.SelectorMismatch _ -> {}
                case Match.SelectorError failed ->
                    failures.putIfAbsent(number, new SelectorEvaluationError(each, failed.message()));
            }
        }
        return passed;
    }

    /** Returns an upper bound of the number of these devices that one node can reach. */
    static long maxPerNode(List<PublishedDevice> devices) {
        Map<String, Long> byNode = new HashMap<>();
        long shared = 0;
        for (PublishedDevice each : devices) {
            if (each.scope() instanceof NodeScope.SingleNode on) {
                byNode.merge(on.node(), 1L, Long::sum);
            } else {
                shared++;
            }
        }
        return shared
                + byNode.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }
}
