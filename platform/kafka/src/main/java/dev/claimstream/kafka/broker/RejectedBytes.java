package dev.claimstream.kafka.broker;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What brokers of this JVM refused to keep in a topic because it was over the topic's {@code max.message.bytes}, as Kafka's own meter
 * says it. Kafka has one meter of a topic per process, and makes it when it first counts.
 */
final class RejectedBytes {
    private static final String METER = "kafka.server:type=BrokerTopicMetrics,name=BytesRejectedPerSec,topic=";

    private RejectedBytes() {}

    static long of(String topic) {
        try {
            return (Long)
                    ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(METER + topic), "Count");
        } catch (InstanceNotFoundException e) {
            return 0;
        } catch (JMException e) {
            throw new IllegalStateException("Kafka's meter of topic %s cannot be read".formatted(topic), e);
        }
    }
}
