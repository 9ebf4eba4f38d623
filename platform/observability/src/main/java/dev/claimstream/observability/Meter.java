package dev.claimstream.observability;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** A meter, with its name, unit, meaning and labels. {@code services/METRICS.md} is generated from {@link #all}. */
public sealed interface Meter
        permits AllocatorMeter, WatcherMeter, WriterMeter, ConsoleMeter, HistoryMeter, ProcessMeter {
    /** Returns what is documented about the meter. */
    MeterFacts facts();

    /** Returns the name of the constant. */
    String name();

    /** Returns all meters of all services. */
    static List<Meter> all() {
        return Stream.<Meter[]>of(
                        AllocatorMeter.values(),
                        WatcherMeter.values(),
                        WriterMeter.values(),
                        ConsoleMeter.values(),
                        HistoryMeter.values(),
                        ProcessMeter.values())
                .flatMap(Arrays::stream)
                .toList();
    }

    /** Returns the name in Prometheus: underscores, and {@code _total} or {@code _seconds} for counters and histograms. */
    default String prometheusName() {
        String name = facts().base().replace('.', '_');
        return switch (facts().type()) {
            case GAUGE -> name;
            case COUNTER -> name + "_total";
            case HISTOGRAM -> name + "_seconds";
        };
    }

    default MeterType type() {
        return facts().type();
    }

    /** The labels, in the order of their values. */
    default List<MeterLabel> labels() {
        return facts().labels();
    }

    /** Whether the meter has series from the start of its process. */
    default boolean isAlwaysPresent() {
        return facts().presence().equals("always");
    }

    /**
     * The maximum number of label sets in one cluster. A histogram has several series per label set.
     *
     * @see #rowsMax
     */
    default long labelSetsMax() {
        long fixed = 1;
        long all = 1;
        for (MeterLabel label : labels()) {
            fixed *= label.isOpen() ? 1 : label.valuesMax();
            all = Math.min(Integer.MAX_VALUE, all * label.valuesMax());
        }
        return all > rowsMax() ? rowsMax() + fixed : all;
    }

    /** Maximum rows of a gauge whose labels producers choose; the rows beyond it are added up. */
    default int rowsMax() {
        return labels().contains(MeterLabel.DEVICE) ? Meters.DEVICES_MAX : Meters.ROWS_MAX;
    }
}
