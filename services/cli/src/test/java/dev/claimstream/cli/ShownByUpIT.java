package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What pages show of a running {@code claimstream up}: the example of inspection, the dashboard's meters, a producer from outside. */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ShownByUpIT {
    private static final String EXAMPLE = "inspection";
    private static final String COMMAND = "    ./claimstream ";

    @TempDir
    static Path folder;

    private static Program up;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    ShownByUpIT() {}

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        up = Program.start(folder, "up", "--data", data(), "-f", Ran.example(EXAMPLE));
        up.awaitOut("Ctrl-C ends it");
    }

    @AfterAll
    static void stop() throws InterruptedException {
        up.interrupt();
        up.awaitEnd();
        up.close();
    }

    private static String data() {
        return folder.resolve("data").toString();
    }

    /** A command of the page, and the lines that stand below it. */
    private record Shown(List<String> command, List<String> output) {
        static List<Shown> in(List<String> lines) {
            List<Shown> all = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith(COMMAND)) {
                    List<String> output = lines.subList(i + 1, lines.size()).stream()
                            .skip(1)
                            .takeWhile(line -> line.startsWith("    ") && !line.startsWith(COMMAND))
                            .toList();
                    all.add(new Shown(
                            List.of(lines.get(i).substring(COMMAND.length()).split(" ")), alike(output)));
                }
            }
            return all;
        }

        boolean isOf(String word) {
            return command.getFirst().equals(word);
        }

        String[] words() {
            return Stream.concat(
                            command.stream()
                                    .map(word -> word.replaceFirst("^deploy/examples", Ran.EXAMPLES.toString())),
                            Stream.of("--data", data()))
                    .toArray(String[]::new);
        }
    }

    /** Ages, times and widths differ from one time to the next. */
    private static List<String> alike(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceAll("(?<= )\\d+(ms|s|m)(?= |$)", "AGE")
                        .replaceAll("\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?", "TIME")
                        .replaceAll(" +", " ")
                        .strip())
                .toList();
    }

    private static List<String> lines(Ran ran) {
        return alike(ran.out().lines().toList());
    }

    @Test
    @Order(1)
    void theExamplePrintsWhatItsPageShows() throws IOException, InterruptedException {
        List<Shown> all =
                Shown.in(Files.readAllLines(Ran.EXAMPLES.resolve(EXAMPLE).resolve("README.md")));
        List<Shown> asked = all.stream()
                .filter(each -> each.isOf("get") || each.isOf("explain"))
                .toList();
        assertThat(asked).hasSizeGreaterThanOrEqualTo(4);
        Program.await(ShownByUpIT::isSettled, "decisions that are committed");
        for (Shown each : asked) {
            assertThat(lines(Ran.of(each.words())))
                    .as(String.join(" ", each.command))
                    .isEqualTo(each.output);
        }
        Shown watch =
                all.stream().filter(each -> each.isOf("watch")).findFirst().orElseThrow();
        Shown delete =
                all.stream().filter(each -> each.isOf("delete")).findFirst().orElseThrow();
        try (Program watching = Program.start(folder, watch.words())) {
            whatIsWatchedIsSeen(watching);
            assertThat(lines(Ran.of(delete.words()))).isEqualTo(delete.output);
            Program.await(() -> alike(watching.out().lines().toList()).containsAll(watch.output), "lines of the watch");
        }
    }

    private static boolean isSettled() {
        String claims = Ran.of("get", "claims", "-o", "wide", "--data", data()).out();
        return claims.contains(" true ") && claims.contains(" waits ");
    }

    /** A change that nobody asked for shows that the watch is there. */
    private static void whatIsWatchedIsSeen(Program watching) throws InterruptedException, IOException {
        Path probe = Files.writeString(folder.resolve("probe.yaml"), Cluster.claim("probe", 1));
        Program.await(
                () -> {
                    Ran.of("apply", "-f", probe.toString(), "--data", data());
                    Ran.of("delete", "-f", probe.toString(), "--data", data());
                    return watching.out().contains("probe");
                },
                "the watch");
    }

    @Test
    @Order(2)
    void theMetersOfTheDashboardAreShown() throws IOException, InterruptedException {
        URI meters = endpoint().console().resolve("/metrics");
        try (HttpClient http = HttpClient.newHttpClient()) {
            String text = http.send(HttpRequest.newBuilder(meters).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(DashboardTest.ofUp())
                    .hasSizeGreaterThanOrEqualTo(3)
                    .allSatisfy(name -> assertThat(text).containsPattern("(?m)^" + Pattern.quote(name) + "\\{"));
        }
    }

    /** It comes last: it makes a node. */
    @Test
    @Order(3)
    void aProducerFromOutsideReadsAGrant() throws IOException, InterruptedException {
        List<String> command = OutsideProducersIT.inJava();
        Endpoint endpoint = endpoint();
        assertThat(OutsideProducersIT.run(
                        command,
                        OutsideProducersIT.PRODUCERS.resolve("java"),
                        folder.resolve("java.out"),
                        endpoint.bootstrap(),
                        endpoint.registry().toString()))
                .last()
                .isEqualTo(OutsideProducersIT.grant("java"));
    }

    private static Endpoint endpoint() throws IOException {
        return Endpoint.of(Files.readString(Path.of(data(), "endpoint.json")));
    }
}
