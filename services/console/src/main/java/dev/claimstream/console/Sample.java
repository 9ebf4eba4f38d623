package dev.claimstream.console;

import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a device measured last; what it cannot measure is absent.
 *
 * @param at by the node's clock
 * @param utilisationPercent 0 to 100
 */
public record Sample(
        Instant at,
        OptionalDouble utilisationPercent,
        OptionalLong memoryUsedBytes,
        OptionalLong memoryTotalBytes,
        OptionalDouble powerWatts,
        OptionalDouble temperatureCelsius) {}
