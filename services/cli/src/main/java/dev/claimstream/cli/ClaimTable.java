package dev.claimstream.cli;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.console.Answer;
import dev.claimstream.dra.Consumer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Formats claims as a table. */
final class ClaimTable {
    /** If a pool has more names than this, the narrow table shows their number. */
    private static final int NAMES_MAX = 2;

    private ClaimTable() {}

    /** Formats one line per claim. */
    static String narrow(List<Answer> answers, OptionalInt width) {
        var table = new TextTable("CLAIM", "STATE", "NODE", "DEVICES", "BECAUSE");
        for (Answer answer : answers) {
            table.add(
                    answer.claim().key().toString(),
                    answer.state().text(),
                    answer.node().orElse("-"),
                    devices(answer, NAMES_MAX),
                    because(answer));
        }
        return table.text(width);
    }

    /** Formats the narrow table plus work item, consumers, second-best node and reason code. */
    static String wide(List<Answer> answers) {
        var table = new TextTable(
                "CLAIM", "STATE", "NODE", "DEVICES", "RESERVED FOR", "ITEM", "REASON", "BECAUSE", "SECOND");
        for (Answer answer : answers) {
            table.add(
                    answer.claim().key().toString(),
                    answer.state().text(),
                    answer.node().orElse("-"),
                    devices(answer, Integer.MAX_VALUE),
                    reservedFor(answer),
                    answer.explanation()
                            .map(Explanation::item)
                            .map(ItemId::toString)
                            .orElse("-"),
                    answer.waits().map(waits -> waits.reason().name()).orElse("-"),
                    because(answer),
                    second(answer));
        }
        return table.text(OptionalInt.empty());
    }

    private static String devices(Answer answer, int namesMax) {
        return answer.allocation()
                .map(allocation -> DeviceNames.of(allocation, namesMax))
                .filter(text -> !text.isEmpty())
                .orElse("-");
    }

    private static String reservedFor(Answer answer) {
        List<Consumer> consumers = answer.granted()
                .map(granted -> granted.reservedFor())
                .orElse(answer.claim().reservedFor());
        return consumers.isEmpty()
                ? "-"
                : consumers.stream().map(Consumer::name).collect(Collectors.joining(","));
    }

    private static String because(Answer answer) {
        if (answer.cameAllocated()) {
            return "allocated before";
        }
        return answer.waits()
                .map(waits -> waits.message())
                .or(() -> answer.explanation().flatMap(ClaimTable::choice))
                .orElse("no active pod uses it");
    }

    private static Optional<String> choice(Explanation explanation) {
        return explanation.because() instanceof Explanation.Because.Granted granted
                ? Optional.of(granted.choice().because())
                : Optional.empty();
    }

    private static String second(Answer answer) {
        return answer.explanation()
                .flatMap(explanation -> explanation.because() instanceof Explanation.Because.Granted granted
                        ? granted.choice()
                                .second()
                                .map(node -> node + ": " + granted.choice().secondBecause())
                        : Optional.empty())
                .orElse("-");
    }
}
