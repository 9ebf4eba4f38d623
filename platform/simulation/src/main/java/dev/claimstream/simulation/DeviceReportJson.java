package dev.claimstream.simulation;

import dev.claimstream.allocation.solver.DeviceCheck;
import dev.claimstream.manifests.tree.Tree;

/** Renders a {@link DeviceReport} as JSON, with every device. */
public final class DeviceReportJson {
    private DeviceReportJson() {}

    public static Tree.Mapping of(DeviceReport report) {
        return Tree.mapping(fields -> {
            fields.put("item", report.checks().item().toString());
            fields.put("state", report.isPending() ? "pending" : "allocated");
            fields.put("asOf", report.at().toString());
            fields.putIfPresent("reason", report.checks().reason(), reason -> Tree.of(reason.name()));
            fields.putUnlessEmpty("message", report.checks().message());
            fields.putIfPresent("node", report.outcome().node(), Tree::of);
            fields.putList(
                    "allocated",
                    report.outcome().devices(),
                    device -> Tree.of(device.device().toString()));
            fields.putList("devices", report.devices(), DeviceReportJson::device);
            if (report.hiddenCount() > 0) {
                fields.put("devicesNotShown", report.hiddenCount());
            }
            fields.putList(
                    "changes",
                    report.changes(),
                    change ->
                            Tree.mapping(each -> each.put("kind", change.kind().name())
                                    .put("text", change.text())
                                    .put("devices", change.devices())));
        });
    }

    private static Tree device(DeviceCheck check) {
        return Tree.mapping(fields -> {
            fields.put("driver", check.device().driver());
            fields.put("pool", check.device().pool());
            fields.put("device", check.device().device());
            fields.putUnlessEmpty("node", check.node());
            fields.put("claim", check.claim().toString());
            fields.put("request", check.request());
            fields.put("fails", check.requirement().name());
            fields.putUnlessEmpty("required", check.required());
            fields.putUnlessEmpty("found", check.found());
            fields.putList(
                    "holders", check.holders(), holder -> Tree.of(holder.claim().toString()));
        });
    }
}
