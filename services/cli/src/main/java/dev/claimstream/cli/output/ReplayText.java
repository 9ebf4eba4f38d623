package dev.claimstream.cli.output;

import dev.claimstream.audit.streams.Divergence;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.manifests.tree.Tree;

/** Formats the results of a replay in one line each, or as JSON. */
public final class ReplayText {
    private ReplayText() {}

    /** Describes what was equal in a cell or in the router. */
    public static String line(CellSummary cell) {
        return "%s: from input %d, %d events and %d state hashes equal, chain head %s%s"
                .formatted(
                        cell.name(),
                        cell.from(),
                        cell.events(),
                        cell.snapshots(),
                        cell.head().isEmpty() ? "none" : cell.head(),
                        cell.otherBytes() == 0
                                ? ""
                                : ", %d events equal in content and not in bytes".formatted(cell.otherBytes()));
    }

    /** Describes a divergence. */
    public static String line(Divergence divergence) {
        return "divergence: %s at %s: %s; ledger: %s; replay: %s%s"
                .formatted(
                        divergence.location(),
                        divergence.at(),
                        divergence.inputText(),
                        String.join(", ", divergence.recorded()),
                        String.join(", ", divergence.replayed()),
                        divergence.cause().map(each -> "; cause: " + each).orElse(""));
    }

    /** Returns the cells, the router and the divergence, if there is one, as JSON. */
    public static String json(ReplayReport report) {
        return Tree.mapping(fields -> fields.put("inputs", report.inputs())
                        .putList("cells", report.cells(), ReplayText::tree)
                        .put("notReplayed", Tree.texts(report.notReplayed()))
                        .putIfPresent("divergence", report.divergence(), ReplayText::tree))
                .indentedJson();
    }

    private static Tree tree(CellSummary cell) {
        return Tree.mapping(fields -> fields.put("cell", cell.cell())
                .put("topic", cell.topic())
                .put("from", cell.from())
                .put("inputs", cell.inputs())
                .put("events", cell.events())
                .put("otherBytes", cell.otherBytes())
                .put("stateHashes", cell.snapshots())
                .put("head", cell.head())
                .put("engines", Tree.texts(cell.engines())));
    }

    private static Tree tree(Divergence divergence) {
        return Tree.mapping(fields -> fields.put("cell", divergence.cell())
                .put("topic", divergence.topic())
                .put("offset", divergence.offset())
                .put("at", divergence.at().toString())
                .put("object", divergence.inputText())
                .putIfPresent("input", divergence.input(), Tree::of)
                .putIfPresent("cause", divergence.cause(), Tree::of)
                .put("ledger", Tree.texts(divergence.recorded()))
                .put("replay", Tree.texts(divergence.replayed()))
                .put("state", Tree.texts(divergence.state())));
    }
}
