package dev.claimstream.writer;

import dev.claimstream.process.ServiceProcess;
import io.micronaut.context.ApplicationContext;
import java.util.List;

/** The writer as a process of its own. */
public final class Main {
    private static final String FOLDER = "claimstream.writer.folder";

    private Main() {}

    /** Runs until it is stopped, or ends with exit code 1 where it cannot go on. */
    public static void main(String[] args) {
        System.exit(ServiceProcess.of("writer").run(Main::checked, context -> {
            var writer = context.getBean(Writer.class);
            return () -> writer.failure().map(RuntimeException::toString);
        }));
    }

    /** There is no adapter to a Kubernetes API server yet. */
    private static List<Object> checked(ApplicationContext settings) {
        if (!settings.containsProperty(FOLDER)) {
            throw new IllegalArgumentException(
                    FOLDER + " is not set: set it, or CLAIMSTREAM_WRITER_FOLDER, to a folder for the status of claims");
        }
        return List.of();
    }
}
