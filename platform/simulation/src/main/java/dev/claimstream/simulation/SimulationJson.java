package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.manifests.tree.Tree;
import java.util.Optional;

/** Renders a {@link SimulationResult} as JSON. */
public final class SimulationJson {
    private SimulationJson() {}

    public static Tree.Mapping of(SimulationResult result) {
        return Tree.mapping(fields -> {
            fields.put("asOf", result.at().toString());
            fields.put("offset", result.offset());
            fields.put("policy", result.policy().text());
            fields.put("fits", Tree.of(result.fits()));
            fields.put("complete", Tree.of(result.isComplete()));
            fields.putList("requested", result.requested(), each -> item(result, each));
            fields.putList("evicted", result.evicted(), each -> item(result, each));
            fields.putList("others", result.others(), each -> item(result, each));
            fields.putList("withoutClaims", result.withoutClaims(), SimulationJson::id);
            fields.putList("shapes", result.shapes(), SimulationJson::shape);
            fields.putList("cells", result.cells(), SimulationJson::cell);
            fields.put("before", usage(result.before()));
            fields.put("after", usage(result.after()));
        });
    }

    private static Tree id(ItemId item) {
        return Tree.of(item.toString());
    }

    private static Tree item(SimulationResult result, ItemOutcome outcome) {
        return Tree.mapping(fields -> {
            fields.put("item", id(outcome.item()));
            fields.put("state", outcome.isAllocated() ? "allocated" : "pending");
            fields.putIfPresent("reason", outcome.reason(), reason -> Tree.of(reason.name()));
            fields.putUnlessEmpty("message", outcome.message());
            fields.putIfPresent("node", outcome.node(), Tree::of);
            fields.putIfPresent(
                    "cell",
                    Optional.ofNullable(result.allocatingCells().get(outcome.item())),
                    cell -> Tree.of((long) cell));
            fields.putList("devices", outcome.devices(), SimulationJson::device);
        });
    }

    private static Tree device(DeviceResult device) {
        return Tree.mapping(fields -> fields.put("request", device.request())
                .put("driver", device.device().driver())
                .put("pool", device.device().pool())
                .put("device", device.device().device()));
    }

    private static Tree shape(SimulationResult.ShapeFit shape) {
        return Tree.mapping(fields -> {
            fields.put("shape", shape.shape());
            fields.put("node", shape.node());
            fields.put(
                    "fits",
                    new Tree.Sequence(
                            shape.fits().stream().map(SimulationJson::id).toList()));
        });
    }

    private static Tree cell(SimulationResult.CellShare share) {
        return Tree.mapping(fields -> {
            fields.put("cell", share.cell());
            fields.put("asOf", share.at().toString());
            fields.put("offset", share.offset());
            fields.put("nodes", share.usage().nodes());
            fields.put("devices", share.usage().devices());
            fields.put("used", share.usage().used());
        });
    }

    private static Tree usage(FleetUsage usage) {
        return Tree.mapping(fields -> fields.put("nodes", usage.nodes())
                .put("devices", usage.devices())
                .put("used", usage.used())
                .put("usedPercent", usage.usedPercent())
                .put("largestFreeOnOneNode", usage.largestFree())
                .put("scatteredFree", usage.scattered())
                .put("fragmentationPercent", usage.fragmentationPercent())
                .put("pending", usage.pending()));
    }
}
