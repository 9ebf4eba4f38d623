package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.console.ListKind;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

/**
 * Tests the output of a running {@code claimstream up}. Covers the inspection example, the meters of the dashboard, an
 * external producer, and every list.
 */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class StandaloneOutputIT {
    private static final String EXAMPLE = "inspection";
    private static final String COMMAND = "    ./claimstream ";
    private static final String FPGA_DEVICE = "device/fpga.example.com/node-4/fpga-0";
    private static final String NIC_DEVICE = "device/nic.example.com/node-4/nic-0";

    @TempDir
    static Path folder;

    private static Program up;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    StandaloneOutputIT() {}

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        up = Program.start(folder, "up", "--data", data(), "-f", CommandResult.example(EXAMPLE));
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

    /** A command of the page and the output below it. */
    private record ExampleCommand(List<String> command, List<String> output) {
        static List<ExampleCommand> parse(List<String> lines) {
            List<ExampleCommand> all = new ArrayList<>();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith(COMMAND)) {
                    List<String> output = lines.subList(i + 1, lines.size()).stream()
                            .skip(1)
                            .takeWhile(line -> line.startsWith("    ") && !line.startsWith(COMMAND))
                            .toList();
                    all.add(new ExampleCommand(
                            List.of(lines.get(i).substring(COMMAND.length()).split(" ")), normalize(output)));
                }
            }
            return all;
        }

        boolean isCommand(String word) {
            return command.getFirst().equals(word);
        }

        String[] words() {
            return Stream.concat(
                            command.stream()
                                    .map(word ->
                                            word.replaceFirst("^deploy/examples", CommandResult.EXAMPLES.toString())),
                            Stream.of("--data", data()))
                    .toArray(String[]::new);
        }
    }

    /** Replaces ages, times and column widths, which differ in every run. */
    private static List<String> normalize(List<String> lines) {
        return lines.stream()
                .map(line -> line.replaceAll("(?<= )\\d+(ms|s|m)(?= |$)", "AGE")
                        .replaceAll("(\\d{4}-\\d\\d-\\d\\dT)?\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?", "TIME")
                        .replaceAll(" +", " ")
                        .strip())
                .toList();
    }

    private static List<String> lines(CommandResult result) {
        return normalize(result.out().lines().toList());
    }

    @Test
    @Order(1)
    void printsOutputShownInExample() throws IOException, InterruptedException {
        List<ExampleCommand> all = ExampleCommand.parse(
                Files.readAllLines(CommandResult.EXAMPLES.resolve(EXAMPLE).resolve("README.md")));
        List<ExampleCommand> asked = all.stream()
                .filter(each -> each.isCommand("get") || each.isCommand("explain"))
                .toList();
        assertThat(asked).hasSizeGreaterThanOrEqualTo(4);
        Program.await(StandaloneOutputIT::isSettled, "decisions that are committed");
        for (ExampleCommand each : asked) {
            assertThat(lines(CommandResult.run(each.words())))
                    .as(String.join(" ", each.command))
                    .isEqualTo(each.output);
        }
        ExampleCommand watch =
                all.stream().filter(each -> each.isCommand("watch")).findFirst().orElseThrow();
        ExampleCommand delete = all.stream()
                .filter(each -> each.isCommand("delete"))
                .findFirst()
                .orElseThrow();
        try (Program watching = Program.start(folder, watch.words())) {
            awaitWatch(watching);
            assertThat(lines(CommandResult.run(delete.words()))).isEqualTo(delete.output);
            Program.await(
                    () -> normalize(watching.out().lines().toList()).containsAll(watch.output), "lines of the watch");
        }
    }

    private static boolean isSettled() {
        String claims = CommandResult.run("get", "claims", "-o", "wide", "--data", data())
                .out();
        return claims.contains(" true ") && claims.contains(" pending ") && !claims.contains("Unprocessed");
    }

    /** Changes another claim repeatedly until the watch reports it. */
    private static void awaitWatch(Program watching) throws InterruptedException, IOException {
        Path probe = Files.writeString(folder.resolve("probe.yaml"), ClusterManifests.claim("probe", 1));
        Program.await(
                () -> {
                    CommandResult.run("apply", "-f", probe.toString(), "--data", data());
                    CommandResult.run("delete", "-f", probe.toString(), "--data", data());
                    return watching.out().contains("probe");
                },
                "the watch");
    }

    @Test
    @Order(2)
    void exposesMetersOfDashboard() throws IOException, InterruptedException {
        URI meters = endpoint().console().resolve("/metrics");
        try (HttpClient http = HttpClient.newHttpClient()) {
            String text = http.send(HttpRequest.newBuilder(meters).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(DashboardTest.metricsOfUp())
                    .hasSizeGreaterThanOrEqualTo(20)
                    .allSatisfy(name -> assertThat(text).containsPattern("(?m)^" + Pattern.quote(name) + "[ {]"));
        }
    }

    /** In addition to the example: two nodes, two drivers, and two claims in namespaces of their own. */
    private static final String MORE = """
            apiVersion: v1
            kind: Node
            metadata: {name: node-3}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-4}
            """
            + deviceClass("nic")
            + deviceClass("fpga")
            + slice("nic", "node-3", "{name: nic-0}, {name: nic-1}")
            + slice("nic", "node-4", "{name: nic-0}")
            + slice("fpga", "node-4", "{name: fpga-0}")
            + ClusterManifests.usedClaim("linked", "nic", "count: 2").replace("namespace: default", "namespace: team")
            + ClusterManifests.usedClaim("imaged", "fpga", "count: 1").replace("namespace: default", "namespace: lab");

    private static String deviceClass(String driver) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: %1$s}
                spec: {selectors: [{cel: {expression: device.driver == "%1$s.example.com"}}]}
                """.formatted(driver);
    }

    private static String slice(String driver, String node, String devices) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %2$s-%1$s}
                spec:
                  driver: %1$s.example.com
                  nodeName: %2$s
                  pool: {name: %2$s, generation: 1, resourceSliceCount: 1}
                  devices: [%3$s]
                """.formatted(driver, node, devices);
    }

    private static CommandResult run(String command) {
        return CommandResult.run((command + " --data " + data()).split(" "));
    }

    /** Creates nodes, so the order of the tests matters. */
    @Test
    @Order(3)
    void filtersAndFormatsLists() throws IOException, InterruptedException {
        Path more = Files.writeString(folder.resolve("more.yaml"), MORE);
        CommandResult applied = run("apply -f " + more);
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        Program.await(
                () -> run("get claim lab/imaged -o wide").out().contains(" true ")
                        && run("get claim team/linked -o wide").out().contains(" true "),
                "claims that are committed");
        Map<String, List<String>> names = new LinkedHashMap<>();
        names.put("claims -A --node node-3", List.of("resourceclaim.resource.k8s.io/linked"));
        names.put("claims -A --node node-4", List.of("resourceclaim.resource.k8s.io/imaged"));
        names.put("claims -A --driver nic.example.com", List.of("resourceclaim.resource.k8s.io/linked"));
        names.put("claims -A --driver fpga.example.com", List.of("resourceclaim.resource.k8s.io/imaged"));
        names.put("claims -A --node node-4 --driver nic.example.com", List.of());
        names.put("claims -n team", List.of("resourceclaim.resource.k8s.io/linked"));
        names.put("claims -n lab --node node-4", List.of("resourceclaim.resource.k8s.io/imaged"));
        names.put("claims -n lab --node node-3", List.of());
        names.put("claims --driver nic.example.com", List.of());
        names.put("claim imaged -n lab", List.of("resourceclaim.resource.k8s.io/imaged"));
        names.put("devices --node node-4", List.of(FPGA_DEVICE, NIC_DEVICE));
        names.put("devices --node node-4 --free", List.of(NIC_DEVICE));
        names.put("devices --node node-4 --driver fpga.example.com", List.of(FPGA_DEVICE));
        names.put("pools --node node-3", List.of("pool/nic.example.com/node-3"));
        names.put("pools --node node-4", List.of("pool/fpga.example.com/node-4", "pool/nic.example.com/node-4"));
        names.put(
                "pools --driver nic.example.com",
                List.of("pool/nic.example.com/node-3", "pool/nic.example.com/node-4"));
        names.put("pools --node node-4 --driver nic.example.com", List.of("pool/nic.example.com/node-4"));
        names.put("nodes --driver nic.example.com", List.of("node/node-3", "node/node-4"));
        names.put("nodes --driver fpga.example.com", List.of("node/node-4"));
        names.put("nodes --driver other.example.com", List.of());
        names.forEach((asked, expected) -> {
            assertThat(run("get " + asked + " -o name").out().lines()).as(asked).containsExactlyElementsOf(expected);
            assertThat(namesOfObjects(asked)).as(asked).isEqualTo(expected);
        });
        assertThat(run("get claims -n lab --node node-3").err()).isEqualTo("No resources found in lab namespace.\n");
        assertThat(lines(run("get nodes --driver fpga.example.com -o wide")))
                .containsExactly(
                        "NAME STATUS DEVICES ALLOCATED FREE AGE DRIVERS CLAIMS TAINTS",
                        "node-4 Ready 2 1 1 AGE fpga.example.com,nic.example.com lab/imaged -");
    }

    /** Returns the names in the JSON and YAML forms: of a list, or of a single object. */
    private static List<String> namesOfObjects(String asked) {
        ListKind listed = ListKind.of(asked.substring(0, asked.indexOf(' '))).orElseThrow();
        String json = run("get " + asked + " -o json").out();
        Tree tree = TreeReader.json(json);
        assertThat(run("get " + asked + " -o yaml").out()).as(asked).isEqualTo(tree.yaml());
        JsonObject all = new JsonObject(tree);
        List<JsonObject> items = all.text("kind").equals("List") ? all.items("items") : List.of(all);
        return items.stream()
                .map(each -> listed == ListKind.CLAIMS ? each.item("metadata") : each)
                .map(listed::name)
                .toList();
    }

    /** Runs last, because it creates a node. */
    @Test
    @Order(4)
    void externalProducerReadsAllocation() throws IOException, InterruptedException {
        OutsideProgram program = OutsideProgram.java();
        Endpoint endpoint = endpoint();
        assertThat(program.run(folder, endpoint.bootstrap(), endpoint.registry().toString()))
                .last()
                .isEqualTo(program.allocatedLine());
    }

    private static Endpoint endpoint() throws IOException {
        return Endpoint.of(Files.readString(Path.of(data(), "endpoint.json")));
    }
}
