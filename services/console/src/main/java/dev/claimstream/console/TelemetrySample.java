package dev.claimstream.console;

import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The last telemetry of a device. Values that the device cannot measure are empty.
 *
 * @param at by the node's clock
 * @param utilizationPercent 0 to 100
 */
public record TelemetrySample(
        Instant at,
        OptionalDouble utilizationPercent,
        OptionalLong memoryUsedBytes,
        OptionalLong memoryTotalBytes,
        OptionalDouble powerWatts,
        OptionalDouble temperatureCelsius) {}
