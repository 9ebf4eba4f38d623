package dev.claimstream.audit.streams;

import dev.claimstream.dra.DeviceId;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The measurements of one device in one hour. A value that the device has not measured is empty.
 *
 * @param hour begin of the hour
 * @param samples number of measurements
 * @param utilizationMean mean utilization in percent
 * @param utilizationMax highest utilization in percent
 * @param memoryMaxBytes highest used memory in bytes
 * @param powerMeanWatts mean power in watts
 * @param temperatureMaxCelsius highest temperature in degrees Celsius
 */
public record TelemetryHour(
        Instant hour,
        String node,
        DeviceId device,
        long samples,
        OptionalDouble utilizationMean,
        OptionalDouble utilizationMax,
        OptionalLong memoryMaxBytes,
        OptionalDouble powerMeanWatts,
        OptionalDouble temperatureMaxCelsius) {}
