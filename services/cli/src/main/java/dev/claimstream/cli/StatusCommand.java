package dev.claimstream.cli;

import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says whether it runs. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        header = "Says whether a 'claimstream up' runs, where, and how it is.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it runs and is well", "1:it does not, or is not"})
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private DataOption data;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private StatusCommand() {}

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Remote remote = data.remote();
        Remote.Said health = remote.say("/health", "application/json");
        Endpoint endpoint = remote.endpoint();
        out.println("claimstream is %s (process %d)"
                .formatted(health.status() == HttpURLConnection.HTTP_OK ? "up" : "not well", endpoint.pid()));
        out.print(Up.where(endpoint, data.folder()));
        if (health.status() != HttpURLConnection.HTTP_OK) {
            out.println(health.body().strip());
        }
        out.flush();
        return health.status() == HttpURLConnection.HTTP_OK ? Failures.ALL_GRANTED : Failures.FAILED;
    }
}
