package dev.claimstream.simulator;

import dev.claimstream.process.ServiceProcess;
import java.util.List;
import java.util.Optional;

/** The entry point of the simulator as a process of its own. */
public final class Main {
    private Main() {}

    /** Runs until it is stopped. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the simulator with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("simulator")
                .with("claimstream.simulator.enabled", true)
                .run((_, _) -> List.of(), context -> {
                    context.getBean(SimulatorService.class);
                    return Optional::empty;
                });
    }
}
