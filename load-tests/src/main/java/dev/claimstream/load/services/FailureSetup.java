package dev.claimstream.load.services;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a run of failures starts.
 *
 * @param nodes number of nodes with eight devices
 * @param rate pods per second
 * @param failures in this order
 * @param isEncrypted whether clients and brokers connect to brokers with TLS
 * @param isSmall whether there is one broker, and one process of each service that takes part in allocation
 * @param lasts how long each failure lasts, instead of its usual time
 * @param other jars of another version, for {@link InjectedFailure#TWO_VERSIONS}
 */
record FailureSetup(
        int nodes,
        int rate,
        List<InjectedFailure> failures,
        boolean isEncrypted,
        boolean isSmall,
        Optional<Duration> lasts,
        Optional<ServiceJars> other) {
    static final String AGENT = "agent-0";
    static final int DEVICES_PER_NODE = 8;

    private static final int RESTART_SECONDS = 8;

    FailureSetup {
        failures = List.copyOf(failures);
    }

    int devices() {
        return nodes * DEVICES_PER_NODE;
    }

    /** Returns about how many claims the run creates. Each needs a device for itself until the end. */
    int claims() {
        return failures.stream().mapToInt(this::claims).sum();
    }

    /** Returns the approximate number of claims that are created during one failure. */
    int claims(InjectedFailure failure) {
        return Math.toIntExact(rate * (lasts(failure).toSeconds() + secondsAround(failure)));
    }

    /** Returns the seconds of load before and after a failure: for restarts, and until every claim is written. */
    private int secondsAround(InjectedFailure failure) {
        return switch (failure) {
            case ROLLING_RESTART -> services().size() * RESTART_SECONDS;
            case TWO_VERSIONS ->
                Math.toIntExact(lasts(failure).toSeconds()) + 2 * services().size() * RESTART_SECONDS;
            case CLOCK_AHEAD -> 60;
            case NONE,
                    ALLOCATOR_KILLED,
                    WRITER_KILLED,
                    WATCHER_KILLED,
                    BROKER_KILLED,
                    CONTROLLER_KILLED,
                    REGISTRY_DOWN,
                    DISK_FULL,
                    NETWORK_CUT,
                    CONTROL_PLANE_UPGRADED -> 20;
        };
    }

    int brokers() {
        return isSmall ? 1 : BrokerProcesses.COUNT;
    }

    /** Returns the names of all processes but the allocators. */
    List<String> servicesWithoutAllocators() {
        return services().stream().filter(name -> !allocators().contains(name)).toList();
    }

    List<String> allocators() {
        return pair("allocator");
    }

    List<String> writers() {
        return pair("writer");
    }

    /** Returns the names of all processes, in the order in which they start. */
    List<String> services() {
        List<String> all = new ArrayList<>(pair("watcher"));
        if (!isSmall) {
            all.addAll(List.of("console-0", "console-1", AGENT));
        }
        all.addAll(allocators());
        all.addAll(writers());
        return all;
    }

    private List<String> pair(String service) {
        return isSmall ? List.of(service + "-0") : List.of(service + "-0", service + "-1");
    }

    /** Returns whether a failure can be caused with these processes. */
    boolean permits(InjectedFailure failure) {
        return !isSmall
                || switch (failure) {
                    case NONE, ROLLING_RESTART, ALLOCATOR_KILLED, WRITER_KILLED, WATCHER_KILLED -> true;
                    case BROKER_KILLED,
                            CONTROLLER_KILLED,
                            REGISTRY_DOWN,
                            DISK_FULL,
                            NETWORK_CUT,
                            CLOCK_AHEAD,
                            CONTROL_PLANE_UPGRADED,
                            TWO_VERSIONS -> false;
                };
    }

    Duration lasts(InjectedFailure failure) {
        return lasts.orElseGet(failure::lasts);
    }
}
