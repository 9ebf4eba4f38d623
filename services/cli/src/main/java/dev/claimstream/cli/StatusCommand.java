package dev.claimstream.cli;

import dev.claimstream.cli.console.ClusterOption;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.console.ConsoleOption;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.cli.output.Terminal;
import dev.claimstream.cli.output.TextTable;
import dev.claimstream.cli.standalone.StandaloneProcess;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the endpoints and the health of a running {@code claimstream up}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Show whether 'claimstream up' runs, where, and its health.",
        description = {
            "",
            "Prints a line for each part: up, degraded (it works, but needs attention) or down. With --console it shows the"
                    + " process of the console only; for all individually started services, use claimstream doctor.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it runs and is healthy", "1:it does not run, or is not healthy"})
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private ClusterOption cluster;

    @Mixin
    private ConsoleOption console;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private StatusCommand() {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        ConsoleClient client = cluster.connect(console);
        ConsoleClient.ConsoleResponse health = client.health();
        boolean isReady = health.status() == HttpURLConnection.HTTP_OK;
        JsonObject report = client.parse(health);
        String word = word(isReady, report);
        switch (client.target()) {
            case ConsoleClient.ConsoleTarget.Folder(Path folder, Endpoint endpoint) -> {
                out.println("claimstream is %s (process %d)".formatted(word, endpoint.pid()));
                out.print(StandaloneProcess.endpointText(endpoint, folder));
            }
            case ConsoleClient.ConsoleTarget.Address(URI address) ->
                out.println("the console at %s is %s".formatted(address, word));
        }
        out.println();
        out.print(parts(report.item("parts")));
        out.flush();
        return isReady ? ExitCodes.SUCCESS : ExitCodes.FAILED;
    }

    private static String word(boolean isReady, JsonObject report) {
        if (!isReady) {
            return "not healthy";
        }
        return report.text("status").equals("up") ? "up" : "up, but a part of it is degraded";
    }

    private static String parts(JsonObject parts) {
        var table = new TextTable("PART", "STATUS", "MESSAGE");
        parts.names().forEach(name -> {
            JsonObject part = parts.item(name);
            table.add(name, part.text("status"), part.text("sentence"));
        });
        return table.text(Terminal.width());
    }
}
