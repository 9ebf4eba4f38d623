package dev.claimstream.manifests;

import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceCapacity.Range;
import dev.claimstream.dra.DeviceCapacity.RequestPolicy;
import dev.claimstream.dra.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads device capacities with their request policies, counters, and the amounts that requests name. */
final class CapacityReader {
    private static final int OPTIONS_MAX = 10;
    private static final int COUNTERS_MAX = 32;
    private static final String WITHIN = "choose amounts within the capacity";
    private static final Quantity NONE = Quantity.of(0);

    private CapacityReader() {}

    /** Reads {@code device.capacity}. */
    static SortedMap<String, DeviceCapacity> ofDevice(ManifestField field, boolean shared) {
        SortedMap<String, DeviceCapacity> capacities = new TreeMap<>();
        field.values().forEach((name, value) -> {
            NameValidation.checkQualified(value, name);
            capacities.put(name, capacity(value, shared));
        });
        return capacities;
    }

    private static DeviceCapacity capacity(ManifestField field, boolean shared) {
        FieldMap fields = field.fieldsOrEmpty();
        Quantity amount = fields.get("value").quantity().orElse(NONE);
        ManifestField policyField = fields.get("requestPolicy");
        Optional<RequestPolicy> policy = policyField.fields().map(inner -> policy(inner, amount, shared));
        if (policy.isPresent() && !shared) {
            policyField.forbidden(
                    "allowMultipleAllocations must be true", "set it on the device, or leave the policy out");
        }
        fields.reportUnknown();
        return new DeviceCapacity(amount, policy);
    }

    private static RequestPolicy policy(FieldMap fields, Quantity capacity, boolean shared) {
        ManifestField defaultField = fields.get("default");
        Optional<Quantity> byDefault = defaultField.quantity();
        ManifestField values = fields.get("validValues");
        List<ManifestField> options = values.items(OPTIONS_MAX);
        ManifestField rangeField = fields.get("validRange");
        Optional<Range> range = rangeField.fields().map(CapacityReader::range);
        List<Quantity> validValues =
                options.stream().map(o -> o.quantity().orElse(NONE)).toList();
        fields.reportUnknown();
        if (!options.isEmpty() && range.isPresent()) {
            fields.self()
                    .forbidden(
                            "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the"
                                    + " same time",
                            "leave one of the two out");
        } else if (byDefault.isEmpty() && (!options.isEmpty() || range.isPresent())) {
            defaultField.required(
                    options.isEmpty() ? "required when validRange is defined" : "required when validValues is defined");
        } else if (shared && byDefault.isPresent()) {
            checkValues(values, options, validValues, byDefault.get(), capacity);
            range.ifPresent(r -> checkRange(rangeField, r, byDefault.get(), capacity));
        }
        return new RequestPolicy(byDefault, validValues, range);
    }

    private static Range range(FieldMap fields) {
        Range range = new Range(
                fields.get("min").quantity(),
                fields.get("max").quantity(),
                fields.get("step").quantity());
        fields.reportUnknown();
        return range;
    }

    private static void checkValues(
            ManifestField field,
            List<ManifestField> fields,
            List<Quantity> values,
            Quantity byDefault,
            Quantity capacity) {
        List<String> amounts = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Quantity value = values.get(i);
            amounts.add(Long.toString(value.value()));
            if (i > 0 && values.get(i - 1).compareTo(value) > 0) {
                fields.get(i).invalid(value.toString(), "values must be sorted in ascending order", "sort the values");
            }
            if (value.compareTo(capacity) > 0) {
                fields.get(i).invalid(value.toString(), "option is larger than capacity value: " + capacity, WITHIN);
            }
        }
        NameValidation.checkUnique(fields, amounts);
        if (!values.isEmpty() && !values.contains(byDefault)) {
            field.invalid(
                    byDefault.toString(),
                    "default value is not valid according to the requestPolicy",
                    "add the default to validValues");
        }
    }

    private static void checkRange(ManifestField field, Range range, Quantity byDefault, Quantity capacity) {
        if (range.min().isEmpty()) {
            field.child("min").required("required when validRange is defined");
            return;
        }
        Quantity min = range.min().get();
        ManifestField minField = field.child("min");
        rejectIf(min.compareTo(capacity) > 0, minField, min, "min is larger than capacity value: " + capacity);
        rejectIf(byDefault.compareTo(min) < 0, minField, byDefault, "default is less than min: " + min);
        range.max().ifPresent(max -> {
            ManifestField maxField = field.child("max");
            rejectIf(min.compareTo(max) > 0, maxField, min, "min is larger than max: " + max);
            rejectIf(max.compareTo(capacity) > 0, maxField, max, "max is larger than capacity value: " + capacity);
            rejectIf(byDefault.compareTo(max) > 0, maxField, byDefault, "default is more than max: " + max);
        });
        range.step().ifPresent(step -> checkStep(field.child("step"), range, min, step, byDefault, capacity));
    }

    private static void checkStep(
            ManifestField field, Range range, Quantity min, Quantity step, Quantity byDefault, Quantity capacity) {
        if (step.signum() <= 0) {
            field.invalid(step.toString(), "must be greater than zero", "write a positive step");
            return;
        }
        Quantity added = min.plus(step);
        rejectIf(
                added.compareTo(capacity) > 0,
                field,
                step,
                "one step %s is larger than capacity value: %s".formatted(added, capacity));
        checkMultiple(field, byDefault, min, step);
        range.max().ifPresent(max -> checkMultiple(field, max, min, step));
    }

    /**
     * Checks that a value is a multiple of the step. The check is exact; the API server may round to whole numbers first, so this is
     * stricter for fractions only.
     */
    private static void checkMultiple(ManifestField field, Quantity value, Quantity min, Quantity step) {
        boolean off = value.minus(min).amount().remainder(step.amount()).signum() != 0;
        rejectIf(off, field, value, "value is not a multiple of a given step (%s) from (%s)".formatted(step, min));
    }

    private static void rejectIf(boolean isInvalid, ManifestField field, Quantity value, String detail) {
        if (isInvalid) {
            field.invalid(value.toString(), detail, WITHIN);
        }
    }

    /** Reads {@code counters: {name: {value: 4}}} with at least one entry. */
    static SortedMap<String, Quantity> counters(ManifestField field) {
        SortedMap<String, Quantity> counters = new TreeMap<>();
        var values = field.values();
        if (values.size() > COUNTERS_MAX) {
            field.errorIfStrict(
                    Integer.toString(values.size()),
                    "Too many: must have at most %d items".formatted(COUNTERS_MAX),
                    "leave some out");
            return counters;
        }
        values.forEach((name, value) -> {
            NameValidation.checkLabel(value, name);
            FieldMap counter = value.fieldsOrEmpty();
            counters.put(name, counter.get("value").quantity().orElse(NONE));
            counter.reportUnknown();
        });
        if (values.isEmpty()) {
            field.required("");
        }
        return counters;
    }

    /** Reads the capacity of a request; the API server accepts any name. */
    static SortedMap<String, Quantity> requests(ManifestField field) {
        SortedMap<String, Quantity> amounts = new TreeMap<>();
        field.values()
                .forEach((name, value) -> amounts.put(name, value.quantity().orElse(NONE)));
        return amounts;
    }

    /** Reads amounts by capacity name. */
    static SortedMap<String, Quantity> amounts(ManifestField field) {
        SortedMap<String, Quantity> amounts = new TreeMap<>();
        field.values().forEach((name, value) -> {
            NameValidation.checkQualified(value, name);
            amounts.put(name, value.quantity().orElse(NONE));
        });
        return amounts;
    }
}
