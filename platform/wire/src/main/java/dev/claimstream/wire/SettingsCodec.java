package dev.claimstream.wire;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.WorkBudget;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.schemas.CellSettingsRecord;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Converts settings to and from records with values by name. A missing value has its default. */
public final class SettingsCodec {
    private static final String POLICY = "policy";
    private static final String SEARCH_STEPS = "search-steps-max";
    private static final String OVERTAKEN = "overtaken-max";
    private static final String COOL_DOWN = "cool-down-ms";
    private static final String PREEMPTION = "preemption";
    private static final String WORK_PER_INPUT = "work-per-input";
    private static final String WORK_RESERVE_MAX = "work-reserve-max";
    private static final String WORK_RESERVE_PER_SECOND = "work-reserve-per-second";
    private static final String WORK_SLICE = "work-slice";
    private static final String KUBE_SCHEDULER = "kube-scheduler";
    private static final String OBSERVE_ONLY = "observe-only";
    private static final String NODES = "nodes";
    private static final String FEATURES = "features";
    private static final String SOURCES = "sources.";

    private SettingsCodec() {}

    /** Converts settings to a record. */
    public static CellSettingsRecord to(CellSettings settings) {
        var values = new TreeMap<String, String>();
        values.put(POLICY, settings.policy().text());
        values.put(SEARCH_STEPS, Long.toString(settings.searchStepsMax()));
        values.put(OVERTAKEN, Integer.toString(settings.overtakenMax()));
        values.put(COOL_DOWN, Long.toString(settings.coolDown().toMillis()));
        values.put(PREEMPTION, Boolean.toString(settings.preemption()));
        values.put(WORK_PER_INPUT, Long.toString(settings.work().perInput()));
        values.put(WORK_RESERVE_MAX, Long.toString(settings.work().reserveMax()));
        values.put(WORK_RESERVE_PER_SECOND, Long.toString(settings.work().reservePerSecond()));
        values.put(WORK_SLICE, Long.toString(settings.work().slice()));
        values.put(KUBE_SCHEDULER, Boolean.toString(settings.kubeScheduler()));
        values.put(OBSERVE_ONLY, Boolean.toString(settings.observeOnly()));
        values.put(NODES, settings.nodes().text());
        values.put(FEATURES, settings.features().toString());
        settings.sources().forEach((kind, names) -> values.put(SOURCES + kind.apiName(), String.join(",", names)));
        return new CellSettingsRecord(settings.engine(), values);
    }

    static CellSettings from(CellSettingsRecord record) {
        var values = record.getValues();
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        values.forEach((name, value) -> {
            if (name.startsWith(SOURCES)) {
                sources.put(CellInputReader.kind(name.substring(SOURCES.length())), names(value));
            }
        });
        return CellSettings.builder()
                .policy(policy(values.getOrDefault(POLICY, PlacementPolicy.BEST_FIT.text())))
                .searchStepsMax(number(
                        values.getOrDefault(SEARCH_STEPS, Long.toString(CellSettings.SEARCH_STEPS_DEFAULT)),
                        SEARCH_STEPS))
                .overtakenMax(
                        overtaken(values.getOrDefault(OVERTAKEN, Integer.toString(CellSettings.OVERTAKEN_DEFAULT))))
                .coolDown(Duration.ofMillis(number(values.getOrDefault(COOL_DOWN, "0"), COOL_DOWN)))
                .preemption(Boolean.parseBoolean(values.getOrDefault(PREEMPTION, "false")))
                .kubeScheduler(Boolean.parseBoolean(values.getOrDefault(KUBE_SCHEDULER, "true")))
                .sources(sources)
                .features(FeatureGates.defaults().with(values.getOrDefault(FEATURES, "")))
                .work(work(values))
                .observeOnly(Boolean.parseBoolean(values.getOrDefault(OBSERVE_ONLY, "false")))
                .nodes(LabelSelector.parse(values.getOrDefault(NODES, "")))
                .engine(record.getEngine())
                .build();
    }

    private static WorkBudget work(Map<String, String> values) {
        WorkBudget byDefault = WorkBudget.DEFAULT;
        return new WorkBudget(
                number(values, WORK_PER_INPUT, byDefault.perInput()),
                number(values, WORK_RESERVE_MAX, byDefault.reserveMax()),
                number(values, WORK_RESERVE_PER_SECOND, byDefault.reservePerSecond()),
                number(values, WORK_SLICE, byDefault.slice()));
    }

    private static long number(Map<String, String> values, String name, long byDefault) {
        return number(values.getOrDefault(name, Long.toString(byDefault)), name);
    }

    /** An empty text has no names. */
    private static SortedSet<String> names(String text) {
        return text.isEmpty() ? new TreeSet<>() : new TreeSet<>(Arrays.asList(text.split(",")));
    }

    private static int overtaken(String text) {
        long number = number(text, OVERTAKEN);
        if (number != (int) number) {
            throw new IllegalArgumentException("setting %s: %s is not a number of 32 bits".formatted(OVERTAKEN, text));
        }
        return (int) number;
    }

    private static PlacementPolicy policy(String text) {
        return Arrays.stream(PlacementPolicy.values())
                .filter(policy -> policy.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("policy %s is not known".formatted(text)));
    }

    private static long number(String text, String name) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("setting %s: %s is not a number".formatted(name, text), e);
        }
    }
}
