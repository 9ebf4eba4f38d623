package dev.claimstream.allocator;

import dev.claimstream.process.ServiceProcess;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Optional;

/** The entry point of the allocator as a separate process. */
public final class Main {
    private Main() {}

    /** Runs until the process is stopped; exits with code 1 after a failure. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the allocator with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("allocator").run((_, _) -> beans(), context -> {
            Optional<Allocator> allocator = context.findBean(Allocator.class); // a process may have the archive alone
            return () -> allocator.flatMap(Allocator::failure);
        });
    }

    /**
     * Runs the shadow alone with the settings of the environment until the process is stopped; returns the exit code. It has consumers
     * only.
     */
    public static int runShadow() {
        return ServiceProcess.of("allocator")
                .with("claimstream.allocator.enabled", false)
                .with("claimstream.shadow.enabled", true)
                .run((_, _) -> List.of(new CelSelectors()), _ -> Optional::empty);
    }

    /** Returns the CEL library. The probe fails the start if the library has lost a function. */
    private static List<Object> beans() {
        var selectors = new CelSelectors();
        selectors.verifyFunctions();
        return List.of(selectors);
    }
}
