package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the address of the console: precedence of options and variables, and servers that are unreachable or no
 * console.
 */
class ConsoleOptionTest {
    private static final String HERE = "http://127.0.0.1:8410";
    private static final String THERE = "http://host:1";

    @TempDir
    private Path folder = Path.of("");

    // ---- precedence

    @ParameterizedTest(name = "--console {0}, --data {1}, CLAIMSTREAM_CONSOLE {2}, CLAIMSTREAM_DATA {3}: {4}")
    @CsvSource({
        "'',                     no,  '',                    '',    ''",
        "'',                     yes, '',                    /data, ''",
        "http://127.0.0.1:8410,  no,  '',                    '',    http://127.0.0.1:8410",
        "http://127.0.0.1:8410/, no,  http://host:1,         /data, http://127.0.0.1:8410",
        "'',                     no,  http://host:1,         '',    http://host:1",
        "'',                     no,  ' ',                   /data, ''",
        "'',                     yes, http://host:1,         /data, ''",
        "https://host/path//,    no,  '',                    '',    https://host/path"
    })
    void optionOverridesVariable(String option, String isFolderNamed, String console, String data, String meant) {
        assertThat(ConsoleOption.address(
                        Optional.of(option).filter(each -> !each.isEmpty()),
                        isFolderNamed.equals("yes"),
                        Map.of("CLAIMSTREAM_CONSOLE", console, "CLAIMSTREAM_DATA", data)))
                .isEqualTo(Optional.of(meant).filter(each -> !each.isEmpty()).map(URI::create));
    }

    @Test
    void rejectsFolderTogetherWithAddress() {
        assertRejected(
                "claimstream get: --console and --data exclude each other: leave one out",
                "get",
                "claims",
                "--console",
                HERE,
                "--data",
                folder.toString());
        assertThatThrownBy(() -> ConsoleOption.address(
                        Optional.empty(), false, Map.of("CLAIMSTREAM_CONSOLE", THERE, "CLAIMSTREAM_DATA", "/data")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "$CLAIMSTREAM_CONSOLE and $CLAIMSTREAM_DATA are both set: unset one, or use --console or --data");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "8410",
                "localhost:8410",
                "ftp://host:1",
                "http://",
                "http://host:70000",
                "http://ann:secret@host:1",
                "http://host:1?x",
                "http://host:1#x",
                "http://a b:1"
            })
    void rejectsInvalidAddress(String text) {
        assertRejected(
                "claimstream status: --console %s: use an address like http://127.0.0.1:8410".formatted(text),
                "status",
                "--console",
                text);
        assertThatThrownBy(() -> ConsoleOption.address(Optional.empty(), false, Map.of("CLAIMSTREAM_CONSOLE", text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("$CLAIMSTREAM_CONSOLE %s: use ".formatted(text));
    }

    private static void assertRejected(String expected, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines().getFirst()).isEqualTo(expected);
        assertThat(result.errLines().stream().skip(1)).allMatch(line -> line.startsWith("try: claimstream"));
    }

    // ---- responses

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get claims",
                "get claims -w",
                "explain claim a/b",
                "explain pod a/b",
                "status",
                "watch",
                "delete claim a"
            })
    void reportsUnreachableAddressInOneLine(String command) {
        CommandResult result = CommandResult.run((command + " --console http://127.0.0.1:1").split(" ", -1));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errLines())
                .containsExactly(
                        "claimstream: http://127.0.0.1:1 does not respond, Connection refused: check that it runs there, or name another address with --console");
    }

    @Test
    void reportsUnknownHostInOneLine() {
        assertRejected(
                "claimstream: http://host.invalid:8410 does not respond, unknown host: check that it runs there, or name another address with --console",
                "get",
                "nodes",
                "--console",
                "http://host.invalid:8410");
    }

    @ParameterizedTest
    @CsvSource({
        "200, <html>",
        "404, '{\"error_code\":404,\"message\":\"not found\"}'",
        "404, '/health /health/live\n/metrics'",
        "200, '{}'"
    })
    void reportsOtherServiceInOneLine(int status, String body) throws IOException {
        HttpServer other = DoctorCommandTest.startServer(status, body);
        try {
            String url = "http://127.0.0.1:" + other.getAddress().getPort();
            String expected =
                    "claimstream: %s is not a console of Claimstream: check which program listens there, or name another address with --console or --data"
                            .formatted(url);
            assertRejected(expected, "status", "--console", url);
            if (!body.equals("{}")) {
                assertRejected(expected, "get", "claims", "--console", url);
            }
            if (status == 404) {
                assertRejected(expected, "explain", "claim", "a/b", "--console", url);
            }
        } finally {
            other.stop(0);
        }
    }

    @Test
    void showsStatusAndConsoleAddress() throws IOException {
        HttpServer console = DoctorCommandTest.startServer(
                200, "{\"status\":\"up\",\"parts\":{\"console\":{\"status\":\"up\",\"sentence\":\"reads\"}}}");
        try {
            String url = "http://127.0.0.1:" + console.getAddress().getPort();
            CommandResult status = CommandResult.run("status", "--console", url);
            assertThat(status.exitCode()).isZero();
            assertThat(status.out().lines())
                    .startsWith("the console at %s is up".formatted(url), "")
                    .anyMatch(line -> line.matches("console +up +reads"));
            assertThat(status.err()).isEmpty();
        } finally {
            console.stop(0);
        }
    }

    /** The console does not report which cluster it shows. */
    @Test
    void reportsThatClusterIsNotCompared() throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
                contexts: [{name: here, context: {cluster: c, namespace: team}}]
                """);
        HttpServer console = DoctorCommandTest.startServer(200, "");
        try {
            String url = "http://127.0.0.1:" + console.getAddress().getPort();
            CommandResult result =
                    CommandResult.run("get", "nodes", "--console", url, "--kubeconfig", kubeconfig.toString());
            assertThat(result.exitCode()).isZero();
            assertThat(result.errLines())
                    .containsExactly(
                            "%s does not report its cluster: not compared with the cluster of the kubeconfig"
                                    .formatted(url),
                            "No resources found");
        } finally {
            console.stop(0);
        }
    }
}
