package dev.claimstream.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;

/**
 * Settings of a Kafka Streams application: state, outputs and offsets commit in one transaction.
 *
 * <p>A stream without a committed offset stops: a missing offset is a loss. The caller writes the first offset.
 *
 * @param applicationId consumer group and prefix of the internal topics
 * @param instanceId unique name of this process, the same at every start: it gets its partitions back without a rebalance
 * @param stateFolder folder of local state
 * @param threads number of stream threads
 * @param commitInterval maximum time until a result is visible
 * @param sessionTimeout time after which an unresponsive process loses its partitions; brokers require at least 6 s
 * @param fetchWait how long a broker may wait for records before it answers a fetch; empty: Kafka's default
 */
public record StreamSettings(
        KafkaConnection connection,
        String applicationId,
        String instanceId,
        Path stateFolder,
        int threads,
        Duration commitInterval,
        Duration sessionTimeout,
        Optional<Duration> fetchWait) {
    public StreamSettings {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is %d, a stream has at least one".formatted(threads));
        }
        if (sessionTimeout.compareTo(Duration.ofSeconds(6)) < 0) {
            throw new IllegalArgumentException(
                    "session timeout is %s, brokers take 6 s and more".formatted(sessionTimeout));
        }
    }

    /** One thread, a session timeout of 10 s, and Kafka's default wait for a fetch. */
    public static StreamSettings of(
            KafkaConnection connection,
            String applicationId,
            String instanceId,
            Path stateFolder,
            Duration commitInterval) {
        return new StreamSettings(
                connection,
                applicationId,
                instanceId,
                stateFolder,
                1,
                commitInterval,
                Duration.ofSeconds(10),
                Optional.empty());
    }

    /** A copy with another number of threads. */
    public StreamSettings withThreads(int other) {
        return new StreamSettings(
                connection, applicationId, instanceId, stateFolder, other, commitInterval, sessionTimeout, fetchWait);
    }

    /** A copy with another maximum wait of a fetch; for threads with one input partition each. */
    public StreamSettings withFetchWait(Duration wait) {
        return new StreamSettings(
                connection,
                applicationId,
                instanceId,
                stateFolder,
                threads,
                commitInterval,
                sessionTimeout,
                Optional.of(wait));
    }

    /** The settings by Kafka's names. */
    public Properties properties() {
        Properties p = connection.properties();
        identity(p);
        guarantee(p);
        producer(p);
        consumer(p);
        return p;
    }

    private void identity(Properties p) {
        p.put("application.id", applicationId);
        p.put("client.id", instanceId);
        p.put("state.dir", stateFolder.toString());
        p.put("num.stream.threads", Integer.toString(threads));
        p.put("replication.factor", "-1"); // the broker's default
        p.put("ensure.explicit.internal.resource.naming", "true"); // otherwise a changed topology loses its state
    }

    private void guarantee(Properties p) {
        p.put("processing.guarantee", "exactly_once_v2");
        p.put("commit.interval.ms", Long.toString(commitInterval.toMillis()));
        p.put("poll.ms", "5"); // a thread commits nothing while it polls
        p.put("statestore.cache.max.bytes", "0");
    }

    private static void producer(Properties p) {
        p.put("producer.linger.ms", "20"); // a commit flushes at once, and nothing is visible before it
        p.put("producer.retry.backoff.ms", "2"); // otherwise the next transaction waits 100 ms
        p.put("producer.retry.backoff.max.ms", "20");
        p.put("producer.max.in.flight.requests.per.connection", "1"); // otherwise the broker logs sequence errors
        p.put("producer.transaction.timeout.ms", "5000");
    }

    private void consumer(Properties p) {
        p.put("group.protocol", "classic"); // the Streams protocol accepts no instance id before 4.4
        p.put("main.consumer.group.instance.id", instanceId);
        p.put("main.consumer.session.timeout.ms", Long.toString(sessionTimeout.toMillis()));
        p.put("main.consumer.heartbeat.interval.ms", Long.toString(sessionTimeout.toMillis() / 3));
        p.put("main.consumer.auto.offset.reset", "none");
        fetchWait.ifPresent(wait -> p.put("main.consumer.fetch.max.wait.ms", Long.toString(wait.toMillis())));
    }
}
