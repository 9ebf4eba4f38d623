package dev.claimstream.cli;

import dev.claimstream.cli.input.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Prints the outcome of each object of an apply or delete request, in the format of kubectl. */
final class ChangePrinter {
    private static final Set<String> FAILED = Set.of("rejected", "missing");

    private final PrintWriter out;
    private final PrintWriter err;
    private boolean hasFailed;

    ChangePrinter(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    void print(JsonObject answer) {
        for (JsonObject finding : answer.items("findings")) {
            err.println(finding.text("text"));
            hasFailed |= finding.text("severity").equals("error");
        }
        answer.items("objects").forEach(this::printObject);
        out.flush();
    }

    private void printObject(JsonObject object) {
        String outcome = object.text("outcome");
        String line = line(object, outcome);
        if (FAILED.contains(outcome)) {
            hasFailed = true;
            err.println(line);
        } else {
            out.println(line);
        }
    }

    private static String line(JsonObject object, String outcome) {
        String name = String.join(
                "/",
                List.of(
                        object.text("kind").toLowerCase(Locale.ROOT),
                        object.find("namespace").map(each -> each + "/").orElse("") + object.text("name")));
        String words = switch (outcome) {
            case "missing" -> "not found";
            case "terminating" -> "terminating: deleted when no pod uses it any more";
            default -> outcome;
        };
        return name + " " + words
                + Optional.of(object.text("message"))
                        .filter(text -> !text.isEmpty())
                        .map(text -> ": " + text)
                        .orElse("");
    }

    int exitCode() {
        return hasFailed ? ExitCodes.FAILED : ExitCodes.SUCCESS;
    }
}
