package dev.claimstream.cli.output;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.dra.ClaimConsumer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Formats claims as a table. */
public final class ClaimTable {
    /** If a pool has more names than this, the narrow table shows their number. */
    private static final int NAMES_MAX = 2;

    private ClaimTable() {}

    /** Formats one line per claim. */
    public static String narrow(List<ClaimResult> answers, OptionalInt width) {
        var table = new TextTable("CLAIM", "STATE", "NODE", "DEVICES", "BECAUSE");
        for (ClaimResult answer : answers) {
            table.add(
                    answer.claim().key().toString(),
                    answer.stateText(),
                    answer.node().orElse("-"),
                    devices(answer, NAMES_MAX),
                    because(answer));
        }
        return table.text(width);
    }

    /** Formats the narrow table plus work item, consumers, second-best node and reason code. */
    static String wide(List<ClaimResult> answers, OptionalInt width) {
        var table = new TextTable(
                "CLAIM", "STATE", "NODE", "DEVICES", "RESERVED FOR", "ITEM", "REASON", "BECAUSE", "SECOND");
        for (ClaimResult answer : answers) {
            table.add(
                    answer.claim().key().toString(),
                    answer.stateText(),
                    answer.node().orElse("-"),
                    devices(answer, Integer.MAX_VALUE),
                    reservedFor(answer),
                    answer.explanation()
                            .map(Explanation::item)
                            .map(ItemId::toString)
                            .orElse("-"),
                    answer.pendingDecision().map(waits -> waits.reason().name()).orElse("-"),
                    because(answer),
                    second(answer));
        }
        return table.text(width);
    }

    private static String devices(ClaimResult answer, int namesMax) {
        return answer.allocation()
                .map(allocation -> DeviceNames.of(allocation, namesMax))
                .filter(text -> !text.isEmpty())
                .orElse("-");
    }

    private static String reservedFor(ClaimResult answer) {
        List<ClaimConsumer> consumers = answer.reservedFor();
        return consumers.isEmpty()
                ? "-"
                : consumers.stream().map(ClaimConsumer::name).collect(Collectors.joining(","));
    }

    private static String because(ClaimResult answer) {
        if (answer.hasPriorAllocation()) {
            return "allocated before";
        }
        return answer.pendingDecision()
                .map(waits -> waits.message())
                .or(() -> answer.explanation().flatMap(ClaimTable::choice))
                .orElse("no active pod uses it");
    }

    private static Optional<String> choice(Explanation explanation) {
        return explanation.detail() instanceof Explanation.ExplanationDetail.Allocated granted
                ? Optional.of(granted.choice().rationale())
                : Optional.empty();
    }

    private static String second(ClaimResult answer) {
        return answer.explanation()
                .flatMap(explanation -> explanation.detail() instanceof Explanation.ExplanationDetail.Allocated granted
                        ? granted.choice()
                                .secondNode()
                                .map(node -> node + ": " + granted.choice().secondRationale())
                        : Optional.empty())
                .orElse("-");
    }
}
