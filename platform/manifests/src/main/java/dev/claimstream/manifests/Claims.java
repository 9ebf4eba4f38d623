package dev.claimstream.manifests;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceRequest.Alternative;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.manifests.Manifest.Expression.Purpose;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Reads {@code ResourceClaim.spec}, also in templates. */
final class Claims {
    private static final int REQUESTS_MAX = 32;
    private static final int CONSTRAINTS_MAX = 32;
    private static final int CONFIG_MAX = 32;
    private static final int SELECTORS_MAX = 32;
    private static final int ALTERNATIVES_MAX = 8;
    private static final List<String> MODES = List.of("All", "ExactCount");
    private static final List<String> FLAT_FIELDS = List.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");
    private static final String ONE_OF = "exactly one of `exactly` or `firstAvailable` is required";

    private Claims() {}

    static ClaimSpec spec(Field field) {
        Fields spec = field.fieldsOrNone();
        Fields devices = spec.get("devices").fieldsOrNone();
        DerivedAttributes derived = new DerivedAttributes();
        List<DeviceRequest> requests = requests(devices.get("requests"), derived);
        RequestNames names = RequestNames.of(requests);
        List<DeviceConstraint> constraints = devices.get("constraints").items(CONSTRAINTS_MAX).stream()
                .map(item -> constraint(item, names))
                .toList();
        derived.checkUsed(constraints);
        List<ClaimConfig> config = devices.get("config").items(CONFIG_MAX).stream()
                .map(item -> config(item, names))
                .toList();
        devices.end();
        spec.end();
        return new ClaimSpec(requests, constraints, config);
    }

    private static List<DeviceRequest> requests(Field field, DerivedAttributes derived) {
        List<Field> items = field.items(REQUESTS_MAX);
        List<DeviceRequest> requests =
                items.stream().map(item -> request(item, derived)).toList();
        Names.checkUnique(items, requests.stream().map(DeviceRequest::name).toList());
        return requests;
    }

    private static DeviceRequest request(Field field, DerivedAttributes derived) {
        field.kept();
        Fields fields = field.fieldsOrNone();
        String name = Names.label(fields.get("name"));
        Field first = fields.get("firstAvailable");
        List<Alternative> alternatives = alternatives(first, name, derived);
        Optional<DeviceRequest> exactly = field.report().version().isFlat()
                ? flat(fields, name, derived)
                : nested(fields.get("exactly"), name, derived);
        boolean strayed = field.report().version().isFlat()
                ? fields.has("exactly")
                : FLAT_FIELDS.stream().anyMatch(fields::has);
        fields.end();
        if (exactly.isPresent() && first.isPresent()) {
            field.invalid("", ONE_OF + ", but multiple fields are set", "leave one of the two out");
        } else if (exactly.isEmpty() && alternatives.isEmpty() && !strayed && !first.isPresent()) {
            field.refuse("", "Required value: " + ONE_OF, "write exactly: {deviceClassName: ...}, or firstAvailable");
        }
        return exactly.orElseGet(() -> alternatives.isEmpty()
                ? new DeviceRequest.Unsupported(name)
                : new DeviceRequest.FirstAvailable(name, alternatives));
    }

    private static Optional<DeviceRequest> flat(Fields fields, String name, DerivedAttributes derived) {
        if (FLAT_FIELDS.stream().noneMatch(fields::has)) {
            FLAT_FIELDS.forEach(fields::get); // known names, for the advice on a misspelt field
            return Optional.empty();
        }
        return Optional.of(exactly(fields, name, derived));
    }

    private static Optional<DeviceRequest> nested(Field field, String name, DerivedAttributes derived) {
        return field.fields().map(fields -> {
            DeviceRequest request = exactly(fields, name, derived);
            fields.end();
            return request;
        });
    }

    private static DeviceRequest exactly(Fields fields, String name, DerivedAttributes derived) {
        RequestSpec spec = requestSpec(fields, name, derived);
        return new DeviceRequest.Exactly(name, spec, fields.get("adminAccess").flag());
    }

    private static List<Alternative> alternatives(Field field, String request, DerivedAttributes derived) {
        List<Field> items = field.items(ALTERNATIVES_MAX);
        List<Alternative> alternatives = new ArrayList<>(items.size());
        for (Field item : items) {
            Fields fields = item.fieldsOrNone();
            String name = Names.label(fields.get("name"));
            alternatives.add(new Alternative(name, requestSpec(fields, request + "/" + name, derived)));
            fields.end();
        }
        Names.checkUnique(items, alternatives.stream().map(Alternative::name).toList());
        if (field.isPresent() && field.items().isEmpty()) {
            field.required("must have at least one alternative");
        }
        return alternatives;
    }

    private static RequestSpec requestSpec(Fields fields, String reference, DerivedAttributes derived) {
        String deviceClass = Names.subdomain(fields.get("deviceClassName").kept());
        Field modeField = fields.get("allocationMode");
        String mode = modeField.text();
        Field countField = fields.get("count");
        long count = countField.integer(0);
        AllocationMode allocationMode = mode.isEmpty() ? AllocationMode.EXACT_COUNT : new AllocationMode(mode);
        if (!mode.isEmpty()) {
            modeField.oneOf(mode, MODES);
        }
        if (allocationMode.equals(AllocationMode.ALL) && count != 0) {
            countField.invalid(
                    Long.toString(count),
                    "must not be specified when allocationMode is 'All'",
                    "leave count out, or write ExactCount");
        } else if (count < 0) {
            countField.invalid(Long.toString(count), "must be greater than zero", "write 1 or more");
        }
        boolean counts = allocationMode.equals(AllocationMode.EXACT_COUNT);
        return new RequestSpec(
                deviceClass,
                selectors(fields.get("selectors")),
                allocationMode,
                counts && count == 0 ? 1 : count,
                Taints.ofRequest(fields.get("tolerations")),
                capacity(fields.get("capacity")),
                derived.of(fields.get("derivedAttributes"), reference));
    }

    private static SortedMap<String, Quantity> capacity(Field field) {
        Fields fields = field.fieldsOrNone();
        var amounts = Capacities.requests(fields.get("requests"));
        fields.end();
        return amounts;
    }

    /** Reads the expressions of selectors; the expression is empty for an unknown type of selector. */
    static List<String> selectors(Field field) {
        return field.items(SELECTORS_MAX).stream().map(Claims::selector).toList();
    }

    private static String selector(Field field) {
        Fields fields = field.fieldsOrNone();
        Field cel = fields.get("cel");
        fields.end();
        if (!cel.isPresent()) {
            cel.required("");
            return "";
        }
        Fields inner = cel.fieldsOrNone();
        String text = Expressions.of(inner.get("expression"), Purpose.SELECTOR);
        inner.end();
        return text;
    }

    private static DeviceConstraint constraint(Field field, RequestNames names) {
        Fields fields = field.fieldsOrNone();
        List<String> requests = names.references(fields.get("requests"));
        Field match = fields.get("matchAttribute").kept();
        Field distinct = fields.get("distinctAttribute").kept();
        fields.end();
        if (match.isPresent() && distinct.isPresent()) {
            distinct.warn(
                    distinct.text(),
                    "distinctAttribute counts for nothing beside matchAttribute",
                    "write two constraints");
        }
        if (match.isPresent()) {
            return new DeviceConstraint.MatchAttribute(requests, Names.fullyQualified(match));
        }
        if (distinct.isPresent()) {
            return new DeviceConstraint.DistinctAttribute(requests, Names.fullyQualified(distinct));
        }
        field.required("exactly one of \"matchAttribute\" or \"distinctAttribute\" is required");
        return new DeviceConstraint.Unsupported(requests);
    }

    private static ClaimConfig config(Field field, RequestNames names) {
        Fields fields = field.fieldsOrNone();
        ClaimConfig config =
                new ClaimConfig(names.references(fields.get("requests")), Configs.opaque(fields.get("opaque")));
        fields.end();
        return config;
    }
}
