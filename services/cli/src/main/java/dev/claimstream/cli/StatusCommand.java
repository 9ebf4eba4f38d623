package dev.claimstream.cli;

import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints the endpoints and the health of a running {@code claimstream up}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Says whether a 'claimstream up' runs, where, and how it is.",
        description = {
            "",
            "A line for each part of it: up, degraded (it works, but somebody should look) or down. With --console it is the"
                    + " process of the console alone; of all services that were started one by one: claimstream doctor.",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it runs and is well", "1:it does not, or is not"})
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
        Remote remote = cluster.of(console);
        Remote.Said health = remote.health();
        boolean isReady = health.status() == HttpURLConnection.HTTP_OK;
        Item report = remote.parsed(health);
        String word = word(isReady, report);
        switch (remote.place()) {
            case Remote.Place.Folder(Path folder, Endpoint endpoint) -> {
                out.println("claimstream is %s (process %d)".formatted(word, endpoint.pid()));
                out.print(Up.where(endpoint, folder));
            }
            case Remote.Place.Address(URI address) -> out.println("the console at %s is %s".formatted(address, word));
        }
        out.println();
        out.print(parts(report.item("parts")));
        out.flush();
        return isReady ? Failures.ALL_GRANTED : Failures.FAILED;
    }

    private static String word(boolean isReady, Item report) {
        if (!isReady) {
            return "not well";
        }
        return report.text("status").equals("up") ? "up" : "up, but something in it is not as it should be";
    }

    private static String parts(Item parts) {
        var table = new TextTable("PART", "STATUS", "SAYS");
        parts.names().forEach(name -> {
            Item part = parts.item(name);
            table.add(name, part.text("status"), part.text("sentence"));
        });
        return table.text(OptionalInt.empty());
    }
}
