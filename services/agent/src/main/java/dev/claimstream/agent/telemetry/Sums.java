package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.devices.Health;
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
final class Sums {
    private static final double PERCENT_MAX = 100;

    private final Map<Metrics.Quantity, Double> values = new EnumMap<>(Metrics.Quantity.class);
    private final Map<String, Double> coreUtilisation = new HashMap<>();
    private final Map<String, Double> coreMemory = new HashMap<>();
    private final SortedMap<String, Long> errors = new TreeMap<>();
    private Health.Seen health = new Health.Seen.Nothing();

    /** NVIDIA XID error codes that make a GPU unhealthy. */
    private final SortedSet<Integer> fatalXids;

    Sums(SortedSet<Integer> fatalXids) {
        this.fatalXids = fatalXids;
    }

    void add(Line line, Metrics.Meaning meaning) {
        double value = line.value() * meaning.factor();
        if (!Double.isFinite(value) || value < 0) {
            return;
        }
        switch (meaning.quantity()) {
            case UTILISATION -> highest(meaning.quantity(), Math.min(value, PERCENT_MAX));
            case MEMORY_USED, MEMORY_FREE, MEMORY_TOTAL, POWER, TEMPERATURE -> highest(meaning.quantity(), value);
            case CORE_UTILISATION -> coreUtilisation.merge(core(line), Math.min(value, PERCENT_MAX), Math::max);
            case CORE_MEMORY -> coreMemory.merge(line.metric() + line.labels(), value, Math::max);
            case ERROR -> error(meaning.detail(), value);
            case ERROR_BY -> line.label(meaning.detail()).ifPresent(name -> error(name.replace('_', '-'), value));
            case XID -> xid((int) value);
            case HEALTH_GOOD -> healthy(value == Double.parseDouble(meaning.detail()), line);
            case HEALTH_BAD -> healthy(value < Double.parseDouble(meaning.detail()), line);
            case CORES_BY -> {
                // describes the whole node and is evaluated before the other samples
            }
        }
    }

    private static String core(Line line) {
        return line.label(Readings.CORE).orElse("");
    }

    private void highest(Metrics.Quantity quantity, double value) {
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
        seen(fatalXids.contains(code) ? new Health.Seen.Ill("xid-" + code) : new Health.Seen.Well());
    }

    private void healthy(boolean isGood, Line line) {
        seen(isGood ? new Health.Seen.Well() : new Health.Seen.Ill(line.metric()));
    }

    /** One unhealthy reading outweighs all healthy ones. */
    private void seen(Health.Seen other) {
        health = health instanceof Health.Seen.Ill ? health : other;
    }

    Measured measured() {
        return new Measured(
                utilisation(),
                whole(memoryUsed()),
                whole(memoryTotal()),
                number(Metrics.Quantity.POWER),
                number(Metrics.Quantity.TEMPERATURE),
                errors,
                health);
    }

    private OptionalDouble utilisation() {
        return coreUtilisation.isEmpty()
                ? number(Metrics.Quantity.UTILISATION)
                : coreUtilisation.values().stream().mapToDouble(each -> each).average();
    }

    private OptionalDouble memoryUsed() {
        return coreMemory.isEmpty()
                ? number(Metrics.Quantity.MEMORY_USED)
                : OptionalDouble.of(
                        coreMemory.values().stream().mapToDouble(each -> each).sum());
    }

    private OptionalDouble memoryTotal() {
        OptionalDouble used = number(Metrics.Quantity.MEMORY_USED);
        OptionalDouble free = number(Metrics.Quantity.MEMORY_FREE);
        OptionalDouble total = number(Metrics.Quantity.MEMORY_TOTAL);
        return total.isPresent() || used.isEmpty() || free.isEmpty()
                ? total
                : OptionalDouble.of(used.getAsDouble() + free.getAsDouble());
    }

    private OptionalDouble number(Metrics.Quantity quantity) {
        return Optional.ofNullable(values.get(quantity)).map(OptionalDouble::of).orElse(OptionalDouble.empty());
    }

    private static OptionalLong whole(OptionalDouble value) {
        return value.isPresent() ? OptionalLong.of(Math.round(value.getAsDouble())) : OptionalLong.empty();
    }
}
