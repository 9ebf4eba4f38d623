package dev.claimstream.history;

import dev.claimstream.process.ServiceProcess;
import java.util.List;
import java.util.Optional;

/** The entry point of the history as a process of its own. */
public final class Main {
    private Main() {}

    /** Runs until it is stopped. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the history with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("history")
                .with("claimstream.history.enabled", true)
                .run((_, _) -> List.of(), context -> {
                    context.getBean(HistoryService.class);
                    return Optional::empty;
                });
    }
}
