package dev.claimstream.console;

import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.Tree;
import java.util.stream.Collectors;

/** Formats the capacity that a claim consumes of a shared device. */
public final class ConsumedCapacity {
    private ConsumedCapacity() {}

    /** Returns {@code bandwidth 9G, queues 2}; empty for a device that is not shared. */
    public static String text(DeviceResult result) {
        return result.consumedCapacity().entrySet().stream()
                .map(each -> "%s %s".formatted(each.getKey(), each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Renders a device of an allocation with its consumed capacity. */
    static Tree device(DeviceResult result) {
        return Tree.mapping(fields -> {
            fields.put("request", result.request())
                    .put("driver", result.device().driver())
                    .put("pool", result.device().pool())
                    .put("device", result.device().device())
                    .putIfTrue("adminAccess", result.adminAccess());
            if (!result.consumedCapacity().isEmpty()) {
                fields.put(
                        "consumedCapacity",
                        Tree.mapping(consumed -> result.consumedCapacity()
                                .forEach((String name, Quantity amount) -> consumed.put(name, amount.toString()))));
            }
        });
    }
}
