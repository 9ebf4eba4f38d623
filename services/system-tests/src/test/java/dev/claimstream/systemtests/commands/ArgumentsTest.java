package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests command lines that are rejected before anything starts, and the help texts. */
class ArgumentsTest {
    @TempDir
    private Path folder = Path.of("");

    private static void assertRejected(String expected, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines()).hasSizeLessThanOrEqualTo(2);
        assertThat(result.errLines().getFirst()).isEqualTo(expected);
        assertThat(result.errLines().stream().skip(1)).allMatch(line -> line.startsWith("try: claimstream"));
    }

    @Test
    void rejectsMissingKubeconfigBeforeStart(@TempDir Path folder) {
        Path missing = folder.resolve("missing");
        Path data = folder.resolve("data");
        assertRejected(
                "claimstream: kubeconfig %s cannot be read: name a readable file".formatted(missing),
                "up",
                "--kubeconfig",
                missing.toString(),
                "--data",
                data.toString());
        assertThat(data).doesNotExist();
        assertRejected(
                "claimstream up: --control-plane and --kubeconfig name two clusters: leave one out",
                "up",
                "--control-plane",
                "--kubeconfig",
                missing.toString());
        assertRejected("claimstream up: --cool-down -1: use 0 to 86400 seconds", "up", "--cool-down", "-1");
    }

    @Test
    void rejectsTelemetryBeforeStart(@TempDir Path folder) throws IOException {
        Path data = folder.resolve("data");
        Path file = Files.writeString(folder.resolve("telemetry.txt"), "gpu.example.com/node-1/gpu-0 87 90/80\n");
        assertRejected(
                "claimstream: %s:1: gpu.example.com/node-1/gpu-0 87 90/80 is not DRIVER/POOL/DEVICE PERCENT [USED/TOTAL [WATTS]], as in gpu.example.com/node-1/gpu-0 87 70/80 535"
                        .formatted(file),
                "up",
                "--telemetry",
                file.toString(),
                "--data",
                data.toString());
        assertThat(data).doesNotExist();
        assertRejected(
                "claimstream up: --telemetry %s is for a simulated cluster: leave it out, and start agents on the nodes"
                        .formatted(file),
                "up",
                "--control-plane",
                "--telemetry",
                file.toString());
    }

    /** The output is a script of the shell. */
    @Test
    void topicsPrintsAclsOfPrincipals() {
        CommandResult result = CommandResult.run(
                "topics", "acls", "--principal-prefix", "User:CN=x-", "--only", "console", "--only", "producer");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().lines())
                .allMatch(line -> line.startsWith("# ")
                        || line.startsWith("kafka-acls --bootstrap-server $BOOTSTRAP ")
                        || line.startsWith("kafka-configs --bootstrap-server $BOOTSTRAP "))
                .anyMatch(line -> line.endsWith(
                        "--add --allow-principal 'User:CN=x-producer' --operation Write --topic 'inventory.v1'"))
                .noneMatch(line -> line.contains("ledger.v1"));
        assertRejected(
                "claimstream topics acls: x-: the prefix of a principal begins with User:",
                "topics",
                "acls",
                "--principal-prefix",
                "x-");
        assertRejected(
                "claimstream topics acls: principal router is not in principals.yaml, which has [agent, allocator,"
                        + " archive, console, history, producer, shadow, simulator, topics, watcher, writer]",
                "topics",
                "acls",
                "--only",
                "router");
    }

    @Test
    void topicsRejectsMissingOrInvalidBootstrap() {
        assertRejected(
                "claimstream topics: --bootstrap kafka: use host:port, several separated by commas",
                "topics",
                "--bootstrap",
                "kafka");
        assertRejected(
                "claimstream topics: --cells 0: use 1 to 64", "topics", "--bootstrap", "127.0.0.1:1", "--cells", "0");
        assertRejected(
                "claimstream topics: --bootstrap is missing: name the host:port of Kafka, or set"
                        + " CLAIMSTREAM_KAFKA_BOOTSTRAP",
                "topics");
        assertRejected(
                "claimstream: connecting to host.invalid:9092 failed: No resolvable bootstrap urls given in"
                        + " bootstrap.servers. Check that Kafka is up and that this user has the permission.",
                "topics",
                "--bootstrap",
                "host.invalid:9092");
    }

    /** No process listens at the address: a command that connects before it checks its options reports that. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            differences --result x                  | --result x is not known: use same, other-devices, other-node, only-kube-scheduler, only-claimstream, not-compared, both-pending
            differences -o xml                      | --output xml is not known: use table or json
            get claims -o xml                       | --output xml is not known: use table, wide, name, yaml or json
            get things                              | things cannot be listed: use claims, devices, nodes or pools
            get nodes --free                        | --free is for devices
            get devices -w                          | -w follows claims only
            watch -o xml                            | --output xml is not known: use text or json
            watch -A -n team                        | -A and -n exclude each other: leave one out
            explain claim a/b -o xml                | --output xml is not known: use text or json
            explain claim a/b --policy x            | --policy x is not known: use best-fit or first-fit
            """)
    void checksOptionsBeforeConnection(String command, String expected) {
        List<String> args = new ArrayList<>(List.of(command.split(" ")));
        args.addAll(List.of("--console", "http://127.0.0.1:1"));
        assertRejected("claimstream %s: %s".formatted(args.getFirst(), expected), args.toArray(String[]::new));
    }

    @Test
    void serviceRejectsMissingOrUnknownName() {
        assertRejected(
                "claimstream service: there is no service allocater: use one of agent, allocator, console, history, shadow, simulator, watcher, writer",
                "service",
                "allocater");
        assertRejected("claimstream service: Missing required parameter: 'NAME'", "service");
    }

    @Test
    void serviceHelpNamesServicesAndSettings() {
        CommandResult result = CommandResult.run("service", "--help");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("services/README.md", "CLAIMSTREAM_KAFKA_BOOTSTRAP", "claimstream topics");
        assertThat(result.out().lines().map(String::strip).map(line -> line.split(" ", 2)[0]))
                .contains("agent", "allocator", "console", "history", "shadow", "simulator", "watcher", "writer");
    }

    @Test
    void leaveRejectsMissingClusterAndInvalidWorkload() {
        assertRejected("claimstream leave: no cluster: name --kubeconfig, or use --in-cluster in a pod", "leave");
        assertRejected(
                "claimstream leave: --stop pod/a: use statefulset/NAME or deployment/NAME",
                "leave",
                "--in-cluster",
                "--stop",
                "pod/a");
        assertRejected(
                "claimstream leave: --timeout 0 is too short: use 1 or more seconds",
                "leave",
                "--in-cluster",
                "--timeout",
                "0");
    }

    @Test
    void runRequiresInput() {
        assertRejected(
                "claimstream run: missing PATH: name files or directories with Kubernetes objects, or - for standard"
                        + " input",
                "run");
    }

    @Test
    void rejectsUnknownValuesAndListsKnownOnes() {
        String unknownPolicy = "--policy nonsense is not known: use best-fit or first-fit";
        assertRejected("claimstream run: " + unknownPolicy, "run", "x.yaml", "--policy", "nonsense");
        assertRejected(
                "claimstream explain: " + unknownPolicy,
                "explain",
                "claim",
                "a/b",
                "-f",
                "x.yaml",
                "--policy",
                "nonsense");
        assertRejected(
                "claimstream run: --output xml is not known: use table, wide, name, yaml or json",
                "run",
                "x.yaml",
                "-o",
                "xml");
        assertRejected(
                "claimstream explain: --output xml is not known: use text or json",
                "explain",
                "claim",
                "a/b",
                "-f",
                "x.yaml",
                "-o",
                "xml");
        assertRejected(
                "claimstream explain: node cannot be explained: use claim NAMESPACE/NAME or pod NAMESPACE/NAME",
                "explain",
                "node",
                "a/b",
                "-f",
                "x.yaml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run x.yaml",
                "up",
                "explain claim c -f x.yaml",
                "test x.yaml",
                "match true -f x.yaml",
                "evictions x.yaml",
                "lint x.yaml"
            })
    void rejectsUnknownGatesAndReleases(String command) {
        String program = "claimstream " + command.substring(0, (command + " ").indexOf(' ')) + ": ";
        assertRejected(
                program + "--kubernetes 1.20 is not known: use 1.36 or 1.37",
                (command + " --kubernetes 1.20").split(" "));
        assertRejected(
                program + "--features: feature gate DRAAdminAccess=yes: write NAME=true or NAME=false",
                (command + " --features DRAAdminAccess=yes").split(" "));
        CommandResult unknown = CommandResult.run((command + " --features Foo=true").split(" "));
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.out()).isEmpty();
        assertThat(unknown.errLines().getFirst())
                .startsWith(program + "--features: feature gate Foo is not known; known are DRAAdminAccess, ");
        assertThat(unknown.errLines()).hasSize(2);
        assertRejected(
                program + "--features: cannot set feature gate DRAPrioritizedList to false,"
                        + " feature is locked to true in Kubernetes 1.37: leave it out",
                (command + " --features DRAPrioritizedList=false,DRASchedulerFilterTimeout=false").split(" "));
    }

    @Test
    void explainRejectsGatesWithoutFiles() {
        assertRejected(
                "claimstream explain: --features and --kubernetes need -f: the running claimstream has its own gates",
                "explain",
                "claim",
                "c",
                "--kubernetes",
                "1.36");
    }

    @Test
    void rejectsNonPositiveSearchSteps() {
        String expected = "claimstream run: --search-steps %s is too small: use 1 or more";
        assertRejected(expected.formatted("0"), "run", "x.yaml", "--search-steps", "0");
        assertRejected(expected.formatted("-5"), "run", "x.yaml", "--search-steps=-5");
        assertRejected(
                "claimstream run: Invalid value for option '--search-steps': 'many' is not a long",
                "run",
                "x.yaml",
                "--search-steps",
                "many");
    }

    @Test
    void rejectsNonEmptyDataFolder() throws IOException {
        Path file = Files.writeString(folder.resolve("precious"), "mine");
        assertRejected(
                "claimstream: --data %s is not empty: name an empty or a new folder".formatted(folder),
                "run",
                "x.yaml",
                "--data",
                folder.toString());
        assertRejected(
                "claimstream: --data %s is a file: name a folder".formatted(file),
                "run",
                "x.yaml",
                "--data",
                file.toString());
        assertThat(file).hasContent("mine");
    }

    @Test
    void describesFileErrorsInWords() {
        assertThat(FolderChecks.reason(new NoSuchFileException("x"))).isEqualTo("no such file or folder");
        assertThat(FolderChecks.reason(new AccessDeniedException("x"))).isEqualTo("permission denied");
        assertThat(FolderChecks.reason(new FileSystemException("x", null, "Not a directory")))
                .isEqualTo("Not a directory");
    }

    @Test
    void rejectsUnusableOutputFolder() throws IOException {
        Path file = Files.writeString(folder.resolve("precious"), "mine");
        assertRejected(
                "claimstream: --out %s is a file: name a folder".formatted(file),
                "run",
                "x.yaml",
                "--out",
                file.toString());
        assertRejected(
                "claimstream: --out %s/below cannot be written to, Not a directory: name a folder that you may write to"
                        .formatted(file),
                "run",
                "x.yaml",
                "--out",
                file + "/below");
    }

    @Test
    void rejectsUnknownCommandsAndOptions() {
        assertRejected("claimstream: there is no command rnu", "rnu");
        assertRejected("claimstream: there is no command rnu", "rnu", "--help");
        assertRejected("claimstream get: Unknown option: '--rnu'", "get", "--rnu", "--help");
        assertRejected("claimstream run: Unknown option: '--polcy'", "run", "--polcy", "x");
    }

    @Test
    void explainRequiresClaimAndFiles() {
        assertThat(CommandResult.run("explain", "claim").err())
                .contains("Missing required")
                .contains("NAMESPACE/NAME")
                .contains("try: claimstream explain --help");
    }

    @Test
    void printsHelpWithoutCommand() {
        CommandResult result = CommandResult.run();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("Usage: claimstream", "run", "explain", "generate-completion");
        assertThat(result.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "explain"})
    void everyCommandPrintsHelp(String command) {
        for (CommandResult result : List.of(CommandResult.run(command, "--help"), CommandResult.run(command, "-h"))) {
            assertThat(result.exitCode()).isZero();
            assertThat(result.err()).isEmpty();
            assertThat(result.out())
                    .contains("Usage: claimstream " + command)
                    .contains("--policy")
                    .contains("--output")
                    .contains("Exit codes:")
                    .containsPattern("(?m)^ +0 +\\w")
                    .containsPattern("(?m)^ +1 +\\w")
                    .containsPattern("(?m)^ +3 +\\w")
                    .containsPattern("Examples?:\\s+claimstream " + command + " ");
            assertThat(result.out().lines()).allMatch(line -> line.length() <= 80);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "up", "explain", "test", "match", "evictions", "lint"})
    void decidingCommandsAcceptFeatureGates(String command) {
        assertThat(CommandResult.run(command, "--help").out()).contains("--features=GATES", "--kubernetes=RELEASE");
    }

    @ParameterizedTest
    @ValueSource(strings = {"up", "apply", "delete", "get", "watch", "status"})
    void clientCommandsPrintHelp(String command) {
        CommandResult result = CommandResult.run(command, "--help");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("Usage: claimstream " + command, "--data", "CLAIMSTREAM_DATA", "Exit codes:")
                .containsPattern("(?m)^ +1 +\\w");
        assertThat(result.out().lines()).allMatch(line -> line.length() <= 80);
    }

    @ParameterizedTest
    @ValueSource(strings = {"apply", "delete", "get", "watch", "explain", "status", "doctor"})
    void clientCommandsAcceptConsoleAddress(String command) {
        assertThat(CommandResult.run(command, "--help").out())
                .contains("--console=URL", "CLAIMSTREAM_CONSOLE", "--data=DIR");
    }

    @ParameterizedTest
    @ValueSource(strings = {"who", "history", "usage", "blast-radius", "simulate"})
    void questionsAcceptConsoleAddress(String command) {
        assertThat(CommandResult.run(command, "--help").out()).contains("--console=URL", "CLAIMSTREAM_CONSOLE");
    }

    @Test
    void consoleExcludesLog() {
        String console = "http://127.0.0.1:1";
        assertRejected(
                "claimstream explain: --console excludes --at, --archive, --bootstrap and --registry: a console knows the present only; leave one out",
                "explain",
                "claim",
                "a/b",
                "--at",
                "2026-03-01T12:00:00Z",
                "--console",
                console);
        assertRejected(
                "claimstream who: --console excludes --archive, --data and --bootstrap: leave one out",
                "who",
                "gpu-0",
                "--archive",
                "folder",
                "--console",
                console);
        assertRejected(
                "claimstream simulate: --console excludes --cluster, --data, --at, --archive and --bootstrap: leave one out",
                "simulate",
                "--cluster",
                "folder",
                "--console",
                console);
    }

    @Test
    void rejectsInvalidArgumentsBeforeRequests() {
        assertRejected("claimstream get: pods cannot be listed: use claims, devices, nodes or pools", "get", "pods");
        assertRejected("claimstream get: -w follows claims only", "get", "nodes", "-w");
        assertRejected("claimstream get: --free is for devices", "get", "claims", "--free");
        assertRejected(
                "claimstream get: --output xml is not known: use table, wide, name, yaml or json",
                "get",
                "claims",
                "-o",
                "xml");
        assertRejected("claimstream delete: missing objects: use -f PATH, or KIND NAME", "delete");
        assertRejected(
                "claimstream delete: kind nonsense is not known: use claim, template, pod, podgroup, node, namespace,"
                        + " slice, class or taintrule",
                "delete",
                "nonsense",
                "x");
        assertRejected("claimstream up: --cells 0: use 1 to 64", "up", "--cells", "0");
        assertRejected("claimstream up: --with archive: use history or simulator", "up", "--with", "history,archive");
        assertRejected("claimstream up: --threads 65: use 1 to 64", "up", "--threads", "65");
        assertRejected("claimstream up: --port 70000 is not a port: use 1 to 65535", "up", "--port", "70000");
    }

    @Test
    void upDoesNotStartWithMissingPath() {
        Path data = folder.resolve("data");
        String missing = folder.resolve("missing.yaml").toString();
        CommandResult result = CommandResult.run(
                "up", "--data", data.toString(), "-f", missing, "-f", CommandResult.example("template-per-pod"));
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines())
                .containsExactly("claimstream up: -f %s: the path does not exist: name an existing file or directory"
                        .formatted(missing));
        assertThat(data).doesNotExist();
    }

    @Test
    void helpNamesExistingExamples() {
        assertThat(CommandResult.run("run", "--help").out())
                .contains("Example: claimstream run deploy/examples/mixed-accelerators");
        assertThat(CommandResult.EXAMPLES.resolve("mixed-accelerators")).isDirectory();
    }

    @Test
    void printsVersionInOneLine() {
        CommandResult result = CommandResult.run("--version");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).matches("claimstream \\S+\\R");
    }

    @Test
    void bashAcceptsCompletionScript() throws IOException, InterruptedException {
        CommandResult result = CommandResult.run("generate-completion");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("explain", "--policy");
        Path script = Files.writeString(folder.resolve("completion.bash"), result.out());
        Process bash = new ProcessBuilder("bash", "-n", script.toString())
                .redirectErrorStream(true)
                .start();
        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).isZero();
    }
}
