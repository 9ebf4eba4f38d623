package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * The telemetry of all devices at the last sampling times. A device costs 400 bytes: its values are rounded to 16 bits. Not safe for
 * several threads.
 */
final class DeviceTrends {
    private static final int TENTHS = 10;
    private static final short MISSING = -1;

    private final int samplesMax;
    private final List<Instant> times = new ArrayList<>();
    private final Map<DeviceId, DeviceValues> devices = new HashMap<>();
    private int samples;

    DeviceTrends(int samplesMax) {
        this.samplesMax = samplesMax;
    }

    /** The values of a device at one time; empty if the device cannot measure them. */
    record TrendPoint(
            Instant at, OptionalDouble utilizationPercent, OptionalDouble memoryPercent, OptionalLong watts) {}

    /** The values of one device, in rings. */
    private static final class DeviceValues {
        private final short[] utilizations;
        private final short[] memories;
        private final short[] watts;
        private Instant last = Instant.EPOCH;

        DeviceValues(int samplesMax) {
            utilizations = missing(samplesMax);
            memories = missing(samplesMax);
            watts = missing(samplesMax);
        }

        private static short[] missing(int samplesMax) {
            var values = new short[samplesMax];
            Arrays.fill(values, MISSING);
            return values;
        }

        /** Sets the values at a place. A sample that was sent before the last sampling time does not count. */
        void set(int position, TelemetrySample sample) {
            boolean isNew = !sample.at().equals(last);
            last = sample.at();
            utilizations[position] = isNew ? rounded(sample.utilizationPercent(), TENTHS) : MISSING;
            memories[position] = isNew ? rounded(memoryPercent(sample), TENTHS) : MISSING;
            watts[position] = isNew ? rounded(sample.powerWatts(), 1) : MISSING;
        }

        void clear(int position) {
            utilizations[position] = MISSING;
            memories[position] = MISSING;
            watts[position] = MISSING;
        }

        private static short rounded(OptionalDouble value, int factor) {
            return value.isPresent()
                    ? (short) Math.clamp(Math.round(value.getAsDouble() * factor), 0, Short.MAX_VALUE)
                    : MISSING;
        }

        private static OptionalDouble memoryPercent(TelemetrySample sample) {
            long total = sample.memoryTotalBytes().orElse(0);
            return total > 0 && sample.memoryUsedBytes().isPresent()
                    ? OptionalDouble.of(100.0 * sample.memoryUsedBytes().getAsLong() / total)
                    : OptionalDouble.empty();
        }
    }

    /** Adds the last samples of all devices. Devices without one are forgotten. */
    void add(Instant now, Map<DeviceId, TelemetrySample> all) {
        int position = samples % samplesMax;
        if (times.size() < samplesMax) {
            times.add(now);
        } else {
            times.set(position, now);
        }
        devices.keySet().retainAll(all.keySet());
        devices.values().forEach(each -> each.clear(position));
        all.forEach((device, sample) -> devices.computeIfAbsent(device, _ -> new DeviceValues(samplesMax))
                .set(position, sample));
        samples++;
    }

    /** Returns the points of a device that have a value, the oldest first. */
    List<TrendPoint> of(DeviceId device) {
        return meanOf(List.of(device));
    }

    /** Returns the means of several devices, the oldest first. A device without a value at a time does not count at that time. */
    List<TrendPoint> meanOf(Collection<DeviceId> ids) {
        List<DeviceValues> values =
                ids.stream().flatMap(id -> Stream.ofNullable(devices.get(id))).toList();
        List<TrendPoint> points = new ArrayList<>();
        for (int i = Math.max(0, samples - samplesMax); i < samples; i++) {
            int position = i % samplesMax;
            var point = new TrendPoint(
                    times.get(position),
                    tenths(mean(values, each -> each.utilizations[position])),
                    tenths(mean(values, each -> each.memories[position])),
                    whole(mean(values, each -> each.watts[position])));
            if (point.utilizationPercent().isPresent()
                    || point.memoryPercent().isPresent()
                    || point.watts().isPresent()) {
                points.add(point);
            }
        }
        return points;
    }

    private static OptionalDouble mean(List<DeviceValues> values, ToIntFunction<DeviceValues> value) {
        return values.stream().mapToInt(value).filter(each -> each != MISSING).average();
    }

    private static OptionalDouble tenths(OptionalDouble value) {
        return value.isPresent()
                ? OptionalDouble.of(Math.round(value.getAsDouble()) / (double) TENTHS)
                : OptionalDouble.empty();
    }

    private static OptionalLong whole(OptionalDouble value) {
        return value.isPresent() ? OptionalLong.of(Math.round(value.getAsDouble())) : OptionalLong.empty();
    }
}
