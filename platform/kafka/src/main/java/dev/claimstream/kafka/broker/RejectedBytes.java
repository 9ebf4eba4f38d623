package dev.claimstream.kafka.broker;

import java.lang.management.ManagementFactory;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Reads Kafka's meter of rejected bytes: records that exceed {@code max.message.bytes} of their topic.
 *
 * <p>Kafka has one meter per topic and process, and creates it at the first rejection.
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
