package dev.claimstream.cli.output;

import dev.claimstream.audit.streams.Divergence;
import dev.claimstream.audit.streams.LogReplay.CellSummary;

/** Formats the results of a replay in one line each. */
public final class ReplayText {
    private ReplayText() {}

    /** Describes what was equal in a cell. */
    public static String line(CellSummary cell) {
        return "cell %d: from input %d, %d events and %d state hashes equal, chain head %s%s"
                .formatted(
                        cell.cell(),
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
        return "divergence: cell %d, input %d of cells.in at %s: %s; ledger: %s; replay: %s%s"
                .formatted(
                        divergence.cell(),
                        divergence.offset(),
                        divergence.at(),
                        divergence.inputText(),
                        String.join(", ", divergence.recorded()),
                        String.join(", ", divergence.replayed()),
                        divergence.cause().map(each -> "; cause: " + each).orElse(""));
    }
}
