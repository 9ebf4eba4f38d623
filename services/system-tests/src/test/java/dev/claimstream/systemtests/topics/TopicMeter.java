package dev.claimstream.systemtests.topics;

import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import io.micronaut.context.ApplicationContext;

/** Sums a meter of the services in a process by topic, or by topic and reason. */
record TopicMeter(ApplicationContext services, Meter meter) {
    long count(String topic) {
        return sum("%s{topic=\"%s\"} ".formatted(meter.prometheusName(), topic));
    }

    long count(String topic, String reason) {
        return sum("%s{reason=\"%s\",topic=\"%s\"} ".formatted(meter.prometheusName(), reason, topic));
    }

    private long sum(String sample) {
        return services.getBean(Meters.class)
                .text()
                .lines()
                .filter(line -> line.startsWith(sample))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(sample.length())))
                .sum();
    }
}
