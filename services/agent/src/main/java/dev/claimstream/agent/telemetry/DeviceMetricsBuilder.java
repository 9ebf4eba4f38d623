package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.devices.DeviceHealth;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/** Combines the samples of one device. If a value is reported twice, the higher one counts. Not thread-safe. */
final class DeviceMetricsBuilder {
    private static final double PERCENT_MAX = 100;

    private final Map<MetricTable.MetricQuantity, Double> values = new EnumMap<>(MetricTable.MetricQuantity.class);
    private final Map<String, Double> coreUtilisation = new HashMap<>();
    private final Map<String, Double> coreMemory = new HashMap<>();
    private final SortedMap<String, Long> errors = new TreeMap<>();
    private DeviceHealth.HealthReading health = new DeviceHealth.HealthReading.Unknown();

    /** NVIDIA XID error codes that make a GPU unhealthy. */
    private final SortedSet<Integer> fatalXids;

    DeviceMetricsBuilder(SortedSet<Integer> fatalXids) {
        this.fatalXids = fatalXids;
    }

    void add(MetricSample sample, MetricTable.MetricMapping mapping) {
        double value = sample.value() * mapping.factor();
        if (!Double.isFinite(value) || value < 0) {
            return;
        }
        switch (mapping.quantity()) {
            case UTILISATION -> mergeMax(mapping.quantity(), Math.min(value, PERCENT_MAX));
            case MEMORY_USED, MEMORY_FREE, MEMORY_TOTAL, POWER, TEMPERATURE -> mergeMax(mapping.quantity(), value);
            case CORE_UTILISATION -> coreUtilisation.merge(core(sample), Math.min(value, PERCENT_MAX), Math::max);
            case CORE_MEMORY -> coreMemory.merge(sample.metric() + sample.labels(), value, Math::max);
            case ERROR -> error(mapping.detail(), value);
            case ERROR_BY -> sample.label(mapping.detail()).ifPresent(name -> error(name.replace('_', '-'), value));
            case XID -> xid((int) value);
            case HEALTH_GOOD -> addHealth(value == Double.parseDouble(mapping.detail()), sample);
            case HEALTH_BAD -> addHealth(value < Double.parseDouble(mapping.detail()), sample);
            case CORES_BY -> {
                // describes the whole node and is evaluated before the other samples
            }
        }
    }

    private static String core(MetricSample sample) {
        return sample.label(DeviceMetricsReader.CORE).orElse("");
    }

    private void mergeMax(MetricTable.MetricQuantity quantity, double value) {
        values.merge(quantity, value, Math::max);
    }

    private void error(String name, double value) {
        errors.merge(name, (long) value, Math::max);
    }

    /** Adds the XID code of the last error; 0 means that no error occurred. */
    private void xid(int code) {
        if (code > 0) {
            error("xid-" + code, 1);
        }
        updateHealth(
                fatalXids.contains(code)
                        ? new DeviceHealth.HealthReading.Unhealthy("xid-" + code)
                        : new DeviceHealth.HealthReading.Healthy());
    }

    private void addHealth(boolean isGood, MetricSample sample) {
        updateHealth(
                isGood
                        ? new DeviceHealth.HealthReading.Healthy()
                        : new DeviceHealth.HealthReading.Unhealthy(sample.metric()));
    }

    /** One unhealthy reading outweighs all healthy ones. */
    private void updateHealth(DeviceHealth.HealthReading other) {
        health = health instanceof DeviceHealth.HealthReading.Unhealthy ? health : other;
    }

    DeviceMetrics build() {
        return new DeviceMetrics(
                utilisation(),
                whole(memoryUsed()),
                whole(memoryTotal()),
                number(MetricTable.MetricQuantity.POWER),
                number(MetricTable.MetricQuantity.TEMPERATURE),
                errors,
                health);
    }

    private OptionalDouble utilisation() {
        return coreUtilisation.isEmpty()
                ? number(MetricTable.MetricQuantity.UTILISATION)
                : coreUtilisation.values().stream().mapToDouble(each -> each).average();
    }

    private OptionalDouble memoryUsed() {
        return coreMemory.isEmpty()
                ? number(MetricTable.MetricQuantity.MEMORY_USED)
                : OptionalDouble.of(
                        coreMemory.values().stream().mapToDouble(each -> each).sum());
    }

    private OptionalDouble memoryTotal() {
        OptionalDouble used = number(MetricTable.MetricQuantity.MEMORY_USED);
        OptionalDouble free = number(MetricTable.MetricQuantity.MEMORY_FREE);
        OptionalDouble total = number(MetricTable.MetricQuantity.MEMORY_TOTAL);
        return total.isPresent() || used.isEmpty() || free.isEmpty()
                ? total
                : OptionalDouble.of(used.getAsDouble() + free.getAsDouble());
    }

    private OptionalDouble number(MetricTable.MetricQuantity quantity) {
        return Optional.ofNullable(values.get(quantity)).map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }

    private static OptionalLong whole(OptionalDouble value) {
        return value.isPresent() ? OptionalLong.of(Math.round(value.getAsDouble())) : OptionalLong.empty();
    }
}
