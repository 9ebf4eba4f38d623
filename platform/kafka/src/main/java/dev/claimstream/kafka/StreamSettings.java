package dev.claimstream.kafka;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/**
 * How a stream of ours runs: state, outputs and offsets commit in one transaction, every few milliseconds.
 *
 * @param applicationId the group, and the beginning of the names of internal topics
 * @param instanceId names this process for good: it takes up its partitions again without a rebalance
 * @param stateFolder where local state lives
 * @param start what to do where the group has no offset
 * @param threads how many partitions are worked on at once
 * @param commitInterval how long a result can wait to be seen
 * @param sessionTimeout after how long a silent process loses its partitions; not below 6 s, the least a broker takes
 */
public record StreamSettings(
        KafkaConnection connection,
        String applicationId,
        String instanceId,
        Path stateFolder,
        Start start,
        int threads,
        Duration commitInterval,
        Duration sessionTimeout) {
    /** Where reading begins when no offset is stored. */
    public enum Start {
        /** The first start ever: from the beginning. */
        FIRST("earliest"),
        /** A later start: a missing offset is a loss, and the stream stops. */
        AGAIN("none");

        private final String offsetReset;

        Start(String offsetReset) {
            this.offsetReset = offsetReset;
        }
    }

    public StreamSettings {
        if (threads < 1) {
            throw new IllegalArgumentException("threads is %d, a stream has at least one".formatted(threads));
        }
        if (sessionTimeout.compareTo(Duration.ofSeconds(6)) < 0) {
            throw new IllegalArgumentException(
                    "session timeout is %s, brokers take 6 s and more".formatted(sessionTimeout));
        }
    }

    /** One thread, a commit every 5 ms, 10 s of silence. */
    public static StreamSettings of(
            KafkaConnection connection, String applicationId, String instanceId, Path stateFolder, Start start) {
        return new StreamSettings(
                connection,
                applicationId,
                instanceId,
                stateFolder,
                start,
                1,
                Duration.ofMillis(5),
                Duration.ofSeconds(10));
    }

    /** The same with more threads. */
    public StreamSettings withThreads(int other) {
        return new StreamSettings(
                connection, applicationId, instanceId, stateFolder, start, other, commitInterval, sessionTimeout);
    }

    /** The same with another commit interval. */
    public StreamSettings withCommitInterval(Duration other) {
        return new StreamSettings(
                connection, applicationId, instanceId, stateFolder, start, threads, other, sessionTimeout);
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
        p.put("ensure.explicit.internal.resource.naming", "true"); // else a changed topology loses its state
    }

    private void guarantee(Properties p) {
        p.put("processing.guarantee", "exactly_once_v2");
        p.put("commit.interval.ms", Long.toString(commitInterval.toMillis()));
        p.put("poll.ms", "5"); // a thread that waits for more commits nothing of what it has said
        p.put("statestore.cache.max.bytes", "0");
    }

    private static void producer(Properties p) {
        p.put("producer.linger.ms", "20"); // a commit waits for nothing, and before it nobody sees anything
        p.put("producer.retry.backoff.ms", "2"); // else a transaction after a transaction waits 100 ms
        p.put("producer.retry.backoff.max.ms", "20");
        p.put("producer.max.in.flight.requests.per.connection", "1"); // else the broker logs sequence errors
        p.put("producer.transaction.timeout.ms", "5000");
    }

    private void consumer(Properties p) {
        p.put("group.protocol", "classic"); // Streams' own protocol takes no instance id before 4.4
        p.put("main.consumer.group.instance.id", instanceId);
        p.put("main.consumer.session.timeout.ms", Long.toString(sessionTimeout.toMillis()));
        p.put("main.consumer.heartbeat.interval.ms", Long.toString(sessionTimeout.toMillis() / 3));
        p.put("main.consumer.auto.offset.reset", start.offsetReset);
    }
}
