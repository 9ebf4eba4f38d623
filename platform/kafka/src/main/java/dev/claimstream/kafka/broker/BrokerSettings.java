package dev.claimstream.kafka.broker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of the embedded broker.
 *
 * @param folder data folder; created if it does not exist
 * @param port port of the clients on loopback; empty: any free port
 * @param node node id in its cluster, from 1
 * @param controllerPort port of the controller on loopback; empty: any free port
 * @param cluster the cluster to join; empty: a cluster of its own
 * @param listeners more listeners for clients, for example with TLS; the one without TLS always exists
 * @param overrides settings of Kafka's broker that override the defaults
 */
public record BrokerSettings(
        Path folder,
        OptionalInt port,
        int node,
        OptionalInt controllerPort,
        Optional<ControllerEndpoint> cluster,
        List<BrokerListener> listeners,
        SortedMap<String, String> overrides) {
    /** The listen address: other machines cannot reach the broker. */
    public static final String HOST = "127.0.0.1";

    /** Node id of the first broker of a cluster, which is also its controller. */
    private static final int FIRST_NODE = 1;

    static final String CONTROLLER = "CONTROLLER";

    /**
     * Session timeout in milliseconds of a broker whose predecessor may still be registered. Until it ends, the registration is rejected.
     *
     * <p>The new broker retries 0.1, 0.3, 0.7, 1.5 and 3.1 s after its start. The timeout ends shortly before one of these attempts.
     */
    private static final int SHORT_SESSION_MS = 1400;

    private static final int SHORT_HEARTBEAT_MS = 400;

    /** Session timeout of other brokers in milliseconds. A heartbeat passes through seven threads of the idle process. */
    private static final int SESSION_MS = 6000;

    private static final int HEARTBEAT_MS = 2000;

    private static final List<String> INTERNAL =
            List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic");

    /** The cluster id and the controller port on loopback. It is valid while that controller runs. */
    public record ControllerEndpoint(String clusterId, int controllerPort) {}

    /**
     * A listener for clients on loopback.
     *
     * @param name in capital letters; its settings begin with {@code listener.name.} and the name in small letters
     * @param protocol Kafka's security protocol, for example {@code SASL_SSL}
     */
    public record BrokerListener(String name, String protocol, int port) {
        private String address() {
            return "%s://%s:%d".formatted(name, HOST, port);
        }
    }

    public BrokerSettings {
        listeners = List.copyOf(listeners);
        folder = folder.toAbsolutePath().normalize();
        overrides = Collections.unmodifiableSortedMap(new TreeMap<>(overrides));
    }

    /** A broker on any free port. */
    public static BrokerSettings in(Path folder) {
        return new BrokerSettings(
                folder,
                OptionalInt.empty(),
                FIRST_NODE,
                OptionalInt.empty(),
                Optional.empty(),
                List.of(),
                new TreeMap<>());
    }

    /** A copy with this port. */
    public BrokerSettings onPort(int other) {
        return new BrokerSettings(folder, OptionalInt.of(other), node, controllerPort, cluster, listeners, overrides);
    }

    /**
     * A copy whose controller has this port.
     *
     * <p>Brokers that have joined find a controller that starts again only at its former port.
     */
    public BrokerSettings withControllerPort(int other) {
        return new BrokerSettings(folder, port, node, OptionalInt.of(other), cluster, listeners, overrides);
    }

    /** A copy with another listener. */
    public BrokerSettings with(BrokerListener listener) {
        List<BrokerListener> more =
                Stream.concat(listeners.stream(), Stream.of(listener)).toList();
        return new BrokerSettings(folder, port, node, controllerPort, cluster, more, overrides);
    }

    /** A copy with a setting of Kafka's broker. */
    public BrokerSettings with(String name, String value) {
        SortedMap<String, String> changed = new TreeMap<>(overrides);
        changed.put(name, value);
        return new BrokerSettings(folder, port, node, controllerPort, cluster, listeners, changed);
    }

    /**
     * A copy that joins a running cluster as another broker.
     *
     * <p>It has no controller, so it works only while the first broker runs.
     */
    public BrokerSettings joining(ControllerEndpoint cluster, int number) {
        if (number <= FIRST_NODE) {
            throw new IllegalArgumentException(
                    "broker %d cannot join: number %d is the first one of a cluster".formatted(number, FIRST_NODE));
        }
        return new BrokerSettings(folder, port, number, controllerPort, Optional.of(cluster), listeners, overrides);
    }

    /**
     * A copy for a cluster with this number of brokers.
     *
     * <p>Every partition has a replica on each broker; an acknowledged record is on at least two brokers.
     */
    public BrokerSettings replicated(int brokers) {
        String kept = Integer.toString(Math.min(2, brokers));
        BrokerSettings changed = withSession(SHORT_SESSION_MS, SHORT_HEARTBEAT_MS)
                .with("default.replication.factor", Integer.toString(brokers))
                .with("min.insync.replicas", kept)
                .with("transaction.state.log.min.isr", kept)
                .with("share.coordinator.state.topic.min.isr", kept);
        for (String topic : INTERNAL) {
            changed = changed.with(topic + ".replication.factor", Integer.toString(brokers));
        }
        return changed;
    }

    private BrokerSettings withSession(int timeoutMs, int heartbeatMs) {
        return with("broker.session.timeout.ms", Integer.toString(timeoutMs))
                .with("broker.heartbeat.interval.ms", Integer.toString(heartbeatMs));
    }

    /** A copy for a folder whose last broker may still be registered, because it did not shut down cleanly. */
    BrokerSettings afterUncleanShutdown() {
        return withSession(SHORT_SESSION_MS, SHORT_HEARTBEAT_MS);
    }

    Properties properties(int clientPort, int controllerPort) {
        Properties p = new Properties();
        configureListeners(p, clientPort, controllerPort);
        configureReplication(p);
        configureFootprint(p);
        configureTimeouts(p);
        configureIdleLoad(p);
        p.putAll(overrides);
        return p;
    }

    private void configureListeners(Properties p, int clientPort, int controllerPort) {
        int controller = cluster.map(ControllerEndpoint::controllerPort).orElse(controllerPort);
        List<BrokerListener> all = Stream.concat(
                        Stream.of(new BrokerListener("PLAINTEXT", "PLAINTEXT", clientPort)), listeners.stream())
                .toList();
        String listener = all.stream().map(BrokerListener::address).collect(Collectors.joining(","));
        p.put("process.roles", cluster.isPresent() ? "broker" : "broker,controller");
        p.put("node.id", Integer.toString(node));
        p.put("controller.quorum.voters", "%d@%s:%d".formatted(FIRST_NODE, HOST, controller));
        p.put(
                "listeners",
                cluster.isPresent() ? listener : "%s,%s://%s:%d".formatted(listener, CONTROLLER, HOST, controller));
        p.put("advertised.listeners", listener);
        p.put(
                "listener.security.protocol.map",
                Stream.concat(
                                all.stream().map(each -> each.name() + ":" + each.protocol()),
                                Stream.of(CONTROLLER + ":PLAINTEXT"))
                        .collect(Collectors.joining(",")));
        p.put("controller.listener.names", CONTROLLER);
        p.put("inter.broker.listener.name", "PLAINTEXT");
        p.put("log.dirs", folder.toString());
    }

    /** Sets replication for one node: no replicas. */
    private static void configureReplication(Properties p) {
        for (String topic : INTERNAL) {
            p.put(topic + ".replication.factor", "1");
            p.put(topic + ".num.partitions", "4");
        }
        p.put("transaction.state.log.min.isr", "1");
        p.put("share.coordinator.state.topic.min.isr", "1");
        p.put("default.replication.factor", "1");
        p.put("min.insync.replicas", "1");
        p.put("auto.create.topics.enable", "false");
        // After a fault, the owner closes the broker. Kafka's own shutdown after half a minute would wait for a
        // controller that cannot write.
        p.put("log.dir.failure.timeout.ms", Long.toString(Duration.ofHours(1).toMillis()));
    }

    /** Limits heap, threads and files for one machine. */
    private static void configureFootprint(Properties p) {
        p.put("num.network.threads", "2");
        p.put("listener.name.controller.num.network.threads", "1");
        p.put("num.io.threads", "2");
        p.put("group.coordinator.threads", "1");
        p.put("background.threads", "2");
        // the active segment is never compacted, and a start reads all of it
        p.put("log.segment.bytes", Integer.toString(16 << 20));
        p.put("offsets.topic.segment.bytes", Integer.toString(4 << 20));
        p.put("transaction.state.log.segment.bytes", Integer.toString(4 << 20));
        p.put("log.index.size.max.bytes", Integer.toString(1 << 20));
        p.put("log.cleaner.dedupe.buffer.size", Integer.toString(2 << 20));
        p.put("socket.request.max.bytes", Integer.toString(16 << 20));
    }

    /** Removes waiting for group members and transaction markers. */
    private static void configureTimeouts(Properties p) {
        p.put("group.initial.rebalance.delay.ms", "0");
        p.put("add.partitions.to.txn.retry.backoff.ms", "1");
        p.put("add.partitions.to.txn.retry.backoff.max.ms", "20");
        p.put("broker.session.timeout.ms", Integer.toString(SESSION_MS));
        p.put("broker.heartbeat.interval.ms", Integer.toString(HEARTBEAT_MS));
    }

    /** Removes periodic work of an idle cluster. */
    private static void configureIdleLoad(Properties p) {
        // by default the controller writes a record to the disk twice a second, by which followers measure their lag
        p.put("metadata.max.idle.interval.ms", "0");
    }
}
