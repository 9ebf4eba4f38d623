package dev.claimstream.cli;

import dev.claimstream.audit.AuditException;
import dev.claimstream.cli.input.FolderChecks;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kafka.broker.BrokerStartException;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.process.http.ListenException;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.simulation.InvalidSimulationException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.Optional;

/** Exit codes of the commands, and the error texts of exceptions. */
final class ExitCodes {
    /** The command succeeded; for commands that print claims, all claims are allocated. */
    static final int SUCCESS = 0;

    /** An input is invalid, or an operation failed. */
    static final int FAILED = 1;

    /** Some claims are pending. */
    static final int SOME_PENDING = 3;

    /** The log was changed, or a replay differs from it. */
    static final int NOT_INTACT = 3;

    private ExitCodes() {}

    static int report(Throwable thrown, PrintWriter err) {
        switch (thrown) {
            case ClusterFault e -> err.println("claimstream: " + e.getMessage());
            case BrokerStartException e -> err.println("claimstream: " + e.getMessage());
            case AuditException e -> err.println("claimstream: " + e.getMessage());
            case InvalidSimulationException e -> err.println("claimstream: " + e.getMessage());
            case ListenException e -> err.println("claimstream: " + e.getMessage());
            case HistoryException e -> err.println("claimstream: " + e.getMessage());
            case RunFailure e -> err.println("claimstream: " + e.getMessage());
            case TopicsException e -> err.println("claimstream: " + e.getMessage());
            case InvalidSettingsException e -> e.problems().forEach(each -> err.println("claimstream: " + each));
            case RegistryException e -> err.println("claimstream: " + e.getMessage());
            case IOException e -> err.println("claimstream: " + text(e));
            case UncheckedIOException e ->
                err.println("claimstream: "
                        + Optional.ofNullable(e.getCause()).map(ExitCodes::text).orElse(e.toString()));
            default -> {
                err.println("claimstream: this is a bug in claimstream, please report it:");
                thrown.printStackTrace(err);
            }
        }
        return FAILED;
    }

    private static String text(IOException e) {
        return e instanceof FileSystemException file
                ? "%s: %s".formatted(file.getFile(), FolderChecks.reason(file))
                : e.toString();
    }
}
