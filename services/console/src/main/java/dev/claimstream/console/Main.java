package dev.claimstream.console;

import dev.claimstream.process.ServiceProcess;
import dev.claimstream.process.http.ListenException;
import dev.claimstream.selectors.CelSelectors;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.server.exceptions.ServerStartupException;
import io.micronaut.runtime.server.EmbeddedServer;
import java.util.List;
import java.util.Optional;

/** The entry point of the console as a process of its own. */
public final class Main {
    private Main() {}

    /** Runs until it is stopped. It exits with code 1 if the consumer fails. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the console with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("console")
                .with("micronaut.server.host", "${claimstream.console.host:127.0.0.1}")
                .with("micronaut.server.port", "${claimstream.console.port:8410}")
                .with("micronaut.server.max-request-size", "64MB")
                .run((_, _) -> List.of(new CelSelectors()), Main::serve);
    }

    private static ServiceProcess.ServiceHandle serve(ApplicationContext context) {
        listen(context);
        ConsumerStatus feed = context.getBean(ConsumerStatus.class);
        return () -> feed.isAlive() ? Optional.empty() : Optional.of("the reader stopped");
    }

    /**
     * Starts the server.
     *
     * @throws ListenException if it cannot listen at the configured address
     */
    static EmbeddedServer listen(ApplicationContext context) {
        // a server that does not start stops the context, which then has no settings
        String host = context.getRequiredProperty("micronaut.server.host", String.class);
        int port = context.getRequiredProperty("micronaut.server.port", Integer.class);
        try {
            return context.getBean(EmbeddedServer.class).start();
        } catch (ServerStartupException e) {
            throw new ListenException(host, port, "claimstream.console", e);
        }
    }
}
