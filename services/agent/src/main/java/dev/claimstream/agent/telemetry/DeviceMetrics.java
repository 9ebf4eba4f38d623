package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.devices.DeviceHealth;
import java.util.Collections;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Metrics of one device, in percent, bytes, watts and degrees Celsius.
 *
 * @param errors number of errors by name
 */
public record DeviceMetrics(
        OptionalDouble utilizationPercent,
        OptionalLong memoryUsedBytes,
        OptionalLong memoryTotalBytes,
        OptionalDouble powerWatts,
        OptionalDouble temperatureCelsius,
        SortedMap<String, Long> errors,
        DeviceHealth.HealthReading health) {
    public DeviceMetrics {
        errors = Collections.unmodifiableSortedMap(new TreeMap<>(errors));
    }
}
