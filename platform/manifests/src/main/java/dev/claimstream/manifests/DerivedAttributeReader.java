package dev.claimstream.manifests;

import dev.claimstream.dra.DerivedAttribute;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.manifests.Manifest.CelExpression.ExpressionUsage;
import java.util.ArrayList;
import java.util.List;

/** Reads the derived attributes of one claim with its requests, and checks them once its constraints are known. */
final class DerivedAttributeReader {
    private static final int ATTRIBUTES_MAX = 32;

    /** A derived attribute with its request, or {@code request/alternative}, and the field of its name. */
    private record AttributeReference(String reference, String attribute, ManifestField field) {
        boolean isUsedBy(DeviceConstraint constraint) {
            return switch (constraint) {
                case DeviceConstraint.MatchAttribute match ->
                    match.attribute().equals(attribute) && isConstrainedBy(match);
                case DeviceConstraint.DistinctAttribute distinct ->
                    distinct.attribute().equals(attribute) && isConstrainedBy(distinct);
                case DeviceConstraint.UnknownConstraint _ -> false;
            };
        }

        private boolean isConstrainedBy(DeviceConstraint constraint) {
            List<String> requests = constraint.requests();
            return requests.isEmpty() || requests.contains(reference) || requests.contains(request());
        }

        private String request() {
            int slash = reference.indexOf('/');
            return slash < 0 ? reference : reference.substring(0, slash);
        }
    }

    private final List<AttributeReference> all = new ArrayList<>(0);

    /** Reads the derived attributes of a request. */
    List<DerivedAttribute> read(ManifestField field, String reference) {
        List<ManifestField> items = field.items(ATTRIBUTES_MAX);
        List<DerivedAttribute> attributes =
                items.stream().map(item -> attribute(item, reference)).toList();
        NameValidation.checkUnique(
                items, attributes.stream().map(DerivedAttribute::name).toList());
        return attributes;
    }

    private DerivedAttribute attribute(ManifestField field, String reference) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField nameField = fields.get("name");
        String name = NameValidation.fullyQualified(nameField);
        String expression = ExpressionReader.of(fields.get("expression"), ExpressionUsage.DERIVED_ATTRIBUTE);
        fields.reportUnknown();
        if (!name.isEmpty()) {
            all.add(new AttributeReference(reference, name, nameField));
        }
        return new DerivedAttribute(name, expression);
    }

    /** Reports derived attributes that no constraint references. */
    void checkUsed(List<DeviceConstraint> constraints) {
        all.stream()
                .filter(named -> constraints.stream().noneMatch(named::isUsedBy))
                .forEach(named -> named.field.invalid(
                        named.attribute,
                        "must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this"
                                + " request",
                        "write devices.constraints[]: {requests: [%s], matchAttribute: %s}, or leave it out"
                                .formatted(named.reference, named.attribute)));
    }
}
