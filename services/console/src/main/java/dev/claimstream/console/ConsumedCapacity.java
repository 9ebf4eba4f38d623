package dev.claimstream.console;

import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.Tree;
import java.util.stream.Collectors;

/** The capacity that a claim consumes of a shared device. */
public final class ConsumedCapacity {
    private ConsumedCapacity() {}

    /** {@code bandwidth 9G, queues 2}; empty for a device that one claim has for itself. */
    public static String text(DeviceResult result) {
        return result.consumedCapacity().entrySet().stream()
                .map(each -> "%s %s".formatted(each.getKey(), each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** A device of an allocation with the capacity that the claim consumes of it. */
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
