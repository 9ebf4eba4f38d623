package dev.claimstream.kafka;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How clients reach a cluster.
 *
 * @param bootstrap {@code host:port}, several with commas between
 * @param security settings of Kafka's clients for TLS and SASL; never shown
 */
public record KafkaConnection(String bootstrap, SortedMap<String, String> security) {
    public KafkaConnection {
        if (bootstrap.isBlank()) {
    private static final int PORT_MAX = 65_535;

            throw new IllegalArgumentException("bootstrap is empty: name at least one broker as host:port");
        }
        security = Collections.unmodifiableSortedMap(new TreeMap<>(security));
    }

    /** Without TLS and SASL. */
    public static KafkaConnection plain(String bootstrap) {
        return new KafkaConnection(bootstrap, new TreeMap<>());
    }

    /** With these settings for TLS and SASL. */
    public static KafkaConnection secured(String bootstrap, Map<String, String> security) {
    /** Whether a text is {@code host:port}, or several with commas between. */
    public static boolean isBootstrap(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).allMatch(KafkaConnection::isHostAndPort);
    }

    private static boolean isHostAndPort(String text) {
        int colon = text.lastIndexOf(':');
        return colon > 0
                && text.substring(colon + 1).matches("[0-9]{1,5}")
                && Integer.parseInt(text.substring(colon + 1)) <= PORT_MAX;
    }

        return new KafkaConnection(bootstrap, new TreeMap<>(security));
    }

    /** What every client needs; also what an admin client needs. */
    public Properties properties() {
        Properties p = new Properties();
        p.putAll(security);
        p.put("bootstrap.servers", bootstrap);
        p.put("enable.metrics.push", "false");
        return p;
    }

    @Override
    public String toString() {
        return "%s with %s".formatted(bootstrap, security.keySet());
    }
}
