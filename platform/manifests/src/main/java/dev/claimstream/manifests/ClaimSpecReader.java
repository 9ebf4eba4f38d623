package dev.claimstream.manifests;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceRequest.Alternative;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.manifests.Manifest.CelExpression.ExpressionUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Reads {@code ResourceClaim.spec}, also in templates. */
final class ClaimSpecReader {
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

    private ClaimSpecReader() {}

    static ClaimSpec spec(ManifestField field) {
        FieldMap spec = field.fieldsOrEmpty();
        FieldMap devices = spec.get("devices").fieldsOrEmpty();
        DerivedAttributeReader derived = new DerivedAttributeReader();
        List<DeviceRequest> requests = requests(devices.get("requests"), derived);
        RequestNames names = RequestNames.of(requests);
        List<DeviceConstraint> constraints = devices.get("constraints").items(CONSTRAINTS_MAX).stream()
                .map(item -> constraint(item, names))
                .toList();
        derived.checkUsed(constraints);
        List<ClaimConfig> config = devices.get("config").items(CONFIG_MAX).stream()
                .map(item -> config(item, names))
                .toList();
        devices.reportUnknown();
        spec.reportUnknown();
        return new ClaimSpec(requests, constraints, config);
    }

    private static List<DeviceRequest> requests(ManifestField field, DerivedAttributeReader derived) {
        List<ManifestField> items = field.items(REQUESTS_MAX);
        List<DeviceRequest> requests =
                items.stream().map(item -> request(item, derived)).toList();
        NameValidation.checkUnique(
                items, requests.stream().map(DeviceRequest::name).toList());
        return requests;
    }

    private static DeviceRequest request(ManifestField field, DerivedAttributeReader derived) {
        field.recordLocation();
        FieldMap fields = field.fieldsOrEmpty();
        String name = NameValidation.label(fields.get("name"));
        ManifestField first = fields.get("firstAvailable");
        List<Alternative> alternatives = alternatives(first, name, derived);
        Optional<DeviceRequest> exactly = field.report().version().isFlat()
                ? flat(fields, name, derived)
                : nested(fields.get("exactly"), name, derived);
        boolean isMisplaced = field.report().version().isFlat()
                ? fields.has("exactly")
                : FLAT_FIELDS.stream().anyMatch(fields::has);
        fields.reportUnknown();
        if (exactly.isPresent() && first.isPresent()) {
            field.invalid("", ONE_OF + ", but multiple fields are set", "leave one of the two out");
        } else if (exactly.isEmpty() && alternatives.isEmpty() && !isMisplaced && !first.isPresent()) {
            field.errorIfStrict(
                    "", "Required value: " + ONE_OF, "write exactly: {deviceClassName: ...}, or firstAvailable");
        }
        return exactly.orElseGet(() -> alternatives.isEmpty()
                ? new DeviceRequest.UnknownRequest(name)
                : new DeviceRequest.FirstAvailable(name, alternatives));
    }

    private static Optional<DeviceRequest> flat(FieldMap fields, String name, DerivedAttributeReader derived) {
        if (FLAT_FIELDS.stream().noneMatch(fields::has)) {
            FLAT_FIELDS.forEach(fields::get); // known names, for the advice on a misspelt field
            return Optional.empty();
        }
        return Optional.of(exactly(fields, name, derived));
    }

    private static Optional<DeviceRequest> nested(ManifestField field, String name, DerivedAttributeReader derived) {
        return field.fields().map(fields -> {
            DeviceRequest request = exactly(fields, name, derived);
            fields.reportUnknown();
            return request;
        });
    }

    private static DeviceRequest exactly(FieldMap fields, String name, DerivedAttributeReader derived) {
        RequestSpec spec = requestSpec(fields, name, derived);
        return new DeviceRequest.Exactly(name, spec, fields.get("adminAccess").flag());
    }

    private static List<Alternative> alternatives(ManifestField field, String request, DerivedAttributeReader derived) {
        List<ManifestField> items = field.items(ALTERNATIVES_MAX);
        List<Alternative> alternatives = new ArrayList<>(items.size());
        for (ManifestField item : items) {
            FieldMap fields = item.fieldsOrEmpty();
            String name = NameValidation.label(fields.get("name"));
            alternatives.add(new Alternative(name, requestSpec(fields, request + "/" + name, derived)));
            fields.reportUnknown();
        }
        NameValidation.checkUnique(
                items, alternatives.stream().map(Alternative::name).toList());
        if (field.isPresent() && field.items().isEmpty()) {
            field.required("must have at least one alternative");
        }
        return alternatives;
    }

    private static RequestSpec requestSpec(FieldMap fields, String reference, DerivedAttributeReader derived) {
        String deviceClass =
                NameValidation.subdomain(fields.get("deviceClassName").recordLocation());
        ManifestField modeField = fields.get("allocationMode");
        String mode = modeField.text();
        ManifestField countField = fields.get("count");
        long count = countField.integer(0);
        AllocationMode allocationMode = mode.isEmpty() ? AllocationMode.EXACT_COUNT : new AllocationMode(mode);
        if (!mode.isEmpty()) {
            modeField.requireOneOf(mode, MODES);
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
                TaintReader.ofRequest(fields.get("tolerations")),
                capacity(fields.get("capacity")),
                derived.read(fields.get("derivedAttributes"), reference));
    }

    private static SortedMap<String, Quantity> capacity(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        var amounts = CapacityReader.requests(fields.get("requests"));
        fields.reportUnknown();
        return amounts;
    }

    /** Reads the expressions of selectors; the expression is empty for an unknown type of selector. */
    static List<String> selectors(ManifestField field) {
        return field.items(SELECTORS_MAX).stream()
                .map(ClaimSpecReader::selector)
                .toList();
    }

    private static String selector(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField cel = fields.get("cel");
        fields.reportUnknown();
        if (!cel.isPresent()) {
            cel.required("");
            return "";
        }
        FieldMap inner = cel.fieldsOrEmpty();
        String text = ExpressionReader.of(inner.get("expression"), ExpressionUsage.SELECTOR);
        inner.reportUnknown();
        return text;
    }

    private static DeviceConstraint constraint(ManifestField field, RequestNames names) {
        FieldMap fields = field.fieldsOrEmpty();
        List<String> requests = names.references(fields.get("requests"));
        ManifestField match = fields.get("matchAttribute").recordLocation();
        ManifestField distinct = fields.get("distinctAttribute").recordLocation();
        fields.reportUnknown();
        if (match.isPresent() && distinct.isPresent()) {
            distinct.warn(
                    distinct.text(), "distinctAttribute is ignored beside matchAttribute", "write two constraints");
        }
        if (match.isPresent()) {
            return new DeviceConstraint.MatchAttribute(requests, NameValidation.fullyQualified(match));
        }
        if (distinct.isPresent()) {
            return new DeviceConstraint.DistinctAttribute(requests, NameValidation.fullyQualified(distinct));
        }
        field.required("exactly one of \"matchAttribute\" or \"distinctAttribute\" is required");
        return new DeviceConstraint.UnknownConstraint(requests);
    }

    private static ClaimConfig config(ManifestField field, RequestNames names) {
        FieldMap fields = field.fieldsOrEmpty();
        ClaimConfig config =
                new ClaimConfig(names.references(fields.get("requests")), ConfigReader.opaque(fields.get("opaque")));
        fields.reportUnknown();
        return config;
    }
}
