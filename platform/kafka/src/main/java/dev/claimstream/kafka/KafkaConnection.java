package dev.claimstream.kafka;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/**
 * Bootstrap servers and security settings of a cluster.
 *
 * @param bootstrap {@code host:port}, several separated by commas
 * @param security client settings for TLS and SASL; never printed
 */
public record KafkaConnection(String bootstrap, SortedMap<String, String> security) {
    private static final int PORT_MAX = 65_535;

    public KafkaConnection {
        if (bootstrap.isBlank()) {
            throw new IllegalArgumentException("bootstrap is empty: name at least one broker as host:port");
        }
        security = Collections.unmodifiableSortedMap(new TreeMap<>(security));
    }

    /** A connection without TLS and SASL. */
    public static KafkaConnection plain(String bootstrap) {
        return new KafkaConnection(bootstrap, new TreeMap<>());
    }

    /** Whether a text is {@code host:port}, or several separated by commas. */
    public static boolean isBootstrap(String text) {
        return Arrays.stream(text.split(",", -1)).map(String::strip).allMatch(KafkaConnection::isHostAndPort);
    }

    private static boolean isHostAndPort(String text) {
        int colon = text.lastIndexOf(':');
        return colon > 0
                && text.substring(colon + 1).matches("[0-9]{1,5}")
                && Integer.parseInt(text.substring(colon + 1)) <= PORT_MAX;
    }

    /** A connection with these settings for TLS and SASL. */
    public static KafkaConnection secured(String bootstrap, Map<String, String> security) {
        return new KafkaConnection(bootstrap, new TreeMap<>(security));
    }

    /** The settings of every client, including the admin client. */
    public Properties properties() {
        Properties p = new Properties();
        p.putAll(security);
        p.put("bootstrap.servers", bootstrap);
        p.put("enable.metrics.push", "false");
        return p;
    }

    /** Whether the client with these metrics is connected to a broker. Safe for any thread. */
    public static boolean isOpen(Map<MetricName, ? extends Metric> metrics) {
        return metrics.entrySet().stream()
                .filter(each -> each.getKey().name().equals("connection-count"))
                .anyMatch(each -> each.getValue().metricValue() instanceof Number count && count.doubleValue() > 0);
    }

    @Override
    public String toString() {
        return "%s with %s".formatted(bootstrap, security.keySet());
    }
}
