package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the commands of the audit example print what its page shows, one after the other. */
@Timeout(180)
class AuditExampleIT {
    private static final String EXAMPLE = "audit";
    private static final String COMMAND = "    ./claimstream ";

    /** Tested by {@link ExamplesIT}, and started by this test. */
    private static final Set<String> OTHERS = Set.of("run", "up");

    @TempDir
    private Path folder = Path.of("");

    /** A command of the page and the output below it. */
    private record PageCommand(String text, List<String> output) {}

    private static List<PageCommand> commands() throws IOException {
        List<String> lines =
                Files.readAllLines(CommandResult.EXAMPLES.resolve(EXAMPLE).resolve("README.md"));
        List<PageCommand> all = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).startsWith(COMMAND)) {
                List<String> output = lines.subList(i + 1, lines.size()).stream()
                        .skip(1)
                        .takeWhile(line -> line.startsWith("    ") && !line.startsWith(COMMAND))
                        .toList();
                all.add(new PageCommand(lines.get(i).substring(COMMAND.length()), normalize(output)));
            }
        }
        return all;
    }

    /** Replaces what differs in every run: times, hashes, counts, hours, generated names, column widths. */
    private static List<String> normalize(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "TIME")
                        .replaceAll("[0-9a-f]{64}", "HASH")
                        .replaceAll("-gpu-[a-z0-9]{5}\\b", "-gpu-X")
                        .replaceAll("erased-[0-9a-z-]+", "erased-UID")
                        .replaceAll("/\\S*archive\\b", "ARCHIVE")
                        .replaceAll("\\b\\d+\\.\\d{3}\\b", "HOURS")
                        .replaceAll("\\b\\d+ (records|bytes|events|compared|erased)\\b", "N $1")
                        .replaceAll(" +", " ")
                        .strip())
                .toList();
    }

    private String[] words(PageCommand command) {
        return command.text()
                .replace("/tmp/", folder + "/")
                .replace("deploy/examples", CommandResult.EXAMPLES.toString())
                .split(" ");
    }

    private CommandResult run(String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).as(result.err()).isZero();
        return result;
    }

    @Test
    void printsOutputOfPage() throws IOException, InterruptedException {
        List<PageCommand> asked = commands().stream()
                .filter(each -> !OTHERS.contains(each.text().split(" ", 2)[0]))
                .toList();
        assertThat(asked).hasSizeGreaterThan(8);
        String data = folder.resolve("audit").toString();
        try (Program up = Program.start(folder, "up", "--data", data, "-f", CommandResult.example(EXAMPLE))) {
            up.awaitOut("Ctrl-C ends it");
            awaitCommitted(data, 2);
            for (PageCommand each : asked) {
                assertThat(normalize(run(words(each)).out().lines().toList()))
                        .as(each.text())
                        .isEqualTo(each.output());
                if (each.text().startsWith("delete")) {
                    awaitCommitted(data, 3);
                }
            }
        }
    }

    /** Waits for so many committed intervals, and for the end of those that have ended. */
    private void awaitCommitted(String data, int count) throws InterruptedException {
        Program.await(
                () -> run("audit", "sql", "SELECT count(committed) FROM intervals", "-o", "csv", "--data", data)
                        .out()
                        .endsWith("\n%d\n".formatted(count)),
                count + " committed intervals");
    }
}
