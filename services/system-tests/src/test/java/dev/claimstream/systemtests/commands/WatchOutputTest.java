package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the output of {@code watch} and {@code get claims -w} against a console with prepared changes. */
class WatchOutputTest {
    private static final String PENDING = """
            {"namespace":"a","name":"one","state":"pending","reason":"DevicesInUse","message":"2 in use","decision":%d}""";

    private static final String ALLOCATED = """
            {"namespace":"a","name":"one","state":"allocated","node":"node-1","devices":[],"committed":%s,"decision":3}""";

    private String list = "";
    private String changes = "";
    private int listedChange;
    private final HttpServer console = createServer();

    private static HttpServer createServer() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() {
        console.createContext("/api/v1/", exchange -> {
            String body = exchange.getRequestURI().getPath().startsWith("/api/v1/watch/") ? "\n" + changes : list;
            exchange.getResponseHeaders().set("Claimstream-Change", Integer.toString(listedChange));
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        console.start();
    }

    @AfterEach
    void stop() {
        console.stop(0);
    }

    private CommandResult run(String... command) {
        String url = "http://127.0.0.1:" + console.getAddress().getPort();
        String[] all = Arrays.copyOf(command, command.length + 2);
        all[command.length] = "--console";
        all[command.length + 1] = url;
        return CommandResult.run(all);
    }

    private static String change(String type, String claim) {
        return "{\"type\":\"%s\",\"claim\":%s}\n".formatted(type, claim.strip());
    }

    private static List<String> withoutTimes(CommandResult result) {
        return result.out()
                .lines()
                .map(line -> line.replaceFirst("^\\d\\d:\\d\\d:\\d\\d +", "").replaceAll(" +", " "))
                .toList();
    }

    private void prepareChanges() {
        list = PENDING.formatted(1) + "\n";
        changes = change("MODIFIED", PENDING.formatted(2))
                + change("MODIFIED", ALLOCATED.formatted("false"))
                + change("MODIFIED", ALLOCATED.formatted("true"))
                + change("MODIFIED", ALLOCATED.formatted("true"))
                + change("DELETED", ALLOCATED.formatted("true"))
                + change("ADDED", PENDING.formatted(4));
    }

    @Test
    void watchPrintsEachVisibleChangeOnce() {
        prepareChanges();
        CommandResult result = run("watch");
        assertThat(withoutTimes(result))
                .containsExactly(
                        "a/one allocated node-1 -",
                        "a/one allocated node-1 - (committed)",
                        "a/one deleted - -",
                        "a/one pending - 2 in use");
        assertThat(result.errLines())
                .containsExactly(
                        "claimstream watch: waiting for changes; the cluster has 1 claim now",
                        "claimstream watch: the running claimstream has ended");
    }

    /** The cluster clears the status of a claim before it deletes the claim. */
    @Test
    void watchPrintsNoLineWhenStatusIsCleared() {
        String reported = ALLOCATED.replace("}", ",\"outcome\":\"committed\"}");
        list = reported.formatted("true") + "\n";
        changes = change("MODIFIED", reported.formatted("false")) + change("DELETED", reported.formatted("false"));
        assertThat(withoutTimes(run("watch"))).containsExactly("a/one deleted - -");
    }

    /** A claim in deletion without an allocation and a claim that no longer exists have the same state. */
    @Test
    void watchPrintsDeletionAndRemoval() {
        list = PENDING.formatted(1) + "\n";
        String deleted = PENDING.replace("pending", "deleted").replace("2 in use", "is being deleted");
        changes = change("MODIFIED", deleted.formatted(2)) + change("DELETED", deleted.formatted(2));
        assertThat(withoutTimes(run("watch"))).containsExactly("a/one deleted - is being deleted", "a/one deleted - -");
    }

    @Test
    void changesThatTheListContainsAreNotPrinted() {
        list = ALLOCATED.formatted("true") + "\n";
        listedChange = 3;
        changes = numbered(1, change("MODIFIED", PENDING.formatted(2)))
                + numbered(2, change("MODIFIED", ALLOCATED.formatted("false")))
                + numbered(3, change("MODIFIED", ALLOCATED.formatted("true")))
                + numbered(4, change("MODIFIED", PENDING.formatted(4)));
        assertThat(withoutTimes(run("watch"))).containsExactly("a/one pending - 2 in use");
        assertThat(run("get", "claims", "-A", "-w").out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "NAMESPACE NAME STATE NODE DEVICES PODS AGE REASON",
                        "a one allocated node-1 - - <unknown> -",
                        "a one pending - - - <unknown> DevicesInUse");
    }

    private static String numbered(int number, String change) {
        return change.replace("}\n", ",\"number\":%d}\n".formatted(number));
    }

    @Test
    void watchInJsonPrintsEveryChange() {
        prepareChanges();
        assertThat(run("watch", "-o", "json").out().lines()).hasSize(6).allMatch(line -> line.contains("\"type\":"));
    }

    @Test
    void watchSaysThatItWaits() {
        CommandResult result = run("watch", "-n", "team");
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines().getFirst())
                .isEqualTo("claimstream watch: waiting for changes; namespace team has 0 claims now");
    }

    @Test
    void getWithWatchPrintsEachVisibleChangeOnce() {
        prepareChanges();
        CommandResult result = run("get", "claims", "-A", "-w");
        assertThat(result.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "NAMESPACE NAME STATE NODE DEVICES PODS AGE REASON",
                        "a one pending - - - <unknown> DevicesInUse",
                        "a one allocated node-1 - - <unknown> -",
                        "a one deleted - - - <unknown> -",
                        "a one pending - - - <unknown> DevicesInUse");
    }

    @Test
    void getWithWatchSaysThatItWaits() {
        assertThat(run("get", "claims", "-w").errLines().getFirst())
                .isEqualTo("claimstream get: no claims yet, waiting for changes");
    }
}
