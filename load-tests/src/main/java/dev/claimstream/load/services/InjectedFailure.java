package dev.claimstream.load.services;

import java.time.Duration;

/** A failure that an installation has to survive. */
enum InjectedFailure {
    NONE("nothing fails", 20),
    ROLLING_RESTART("every service is restarted, one process after the other", 0),
    ALLOCATOR_KILLED("kill -9 of the allocator with the cell, back after 20 s", 20),
    WRITER_KILLED("kill -9 of the active writer, back after 20 s", 20),
    WATCHER_KILLED("kill -9 of a watcher, back after 20 s", 20),
    BROKER_KILLED("kill -9 of one of three brokers, back after 20 s", 20),
    CONTROLLER_KILLED("kill -9 of the broker that is the only controller, back after 20 s", 20),
    REGISTRY_DOWN("the schema registry is down for a minute, and the standby writer is restarted", 60),
    DISK_FULL("the disk of one of three brokers is full for 20 s", 20),
    NETWORK_CUT("no packet of the allocator with the cell reaches Kafka for 30 s", 30),
    CLOCK_AHEAD("the clock of a node with an agent is one hour ahead for 20 s", 20),
    CONTROL_PLANE_UPGRADED("API server, controller manager and kube-scheduler are upgraded from 1.36 to 1.37", 0),
    TWO_VERSIONS("allocators of this version beside other services of another version for 20 s, and the reverse", 20);

    private final String text;
    private final int seconds;

    InjectedFailure(String text, int seconds) {
        this.text = text;
        this.seconds = seconds;
    }

    /** What happens, as a table says it. */
    String text() {
        return text;
    }

    /** How long the failure lasts; zero where its course decides. */
    Duration lasts() {
        return Duration.ofSeconds(seconds);
    }
}
