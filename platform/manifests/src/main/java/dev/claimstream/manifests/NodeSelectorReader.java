package dev.claimstream.manifests;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.NodeSelector.Term;
import java.util.List;
import java.util.Optional;

/** Reads {@code core/v1 NodeSelector}. */
final class NodeSelectorReader {
    private static final String OPERATORS = "write one of In, NotIn, Exists, DoesNotExist, Gt, Lt";

    private NodeSelectorReader() {}

    static Optional<NodeSelector> of(ManifestField field) {
        return field.fields().map(NodeSelectorReader::selector);
    }

    private static NodeSelector selector(FieldMap fields) {
        ManifestField terms = fields.get("nodeSelectorTerms");
        List<ManifestField> items = terms.items();
        if (!terms.isPresent() || items.isEmpty()) {
            terms.required("must have at least one node selector term");
        }
        fields.reportUnknown();
        return new NodeSelector(items.stream().map(NodeSelectorReader::term).toList());
    }

    private static Term term(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        List<Requirement> expressions = fields.get("matchExpressions").items().stream()
                .map(NodeSelectorReader::expression)
                .toList();
        List<Requirement> matchFields = fields.get("matchFields").items().stream()
                .map(NodeSelectorReader::field)
                .toList();
        fields.reportUnknown();
        return new Term(expressions, matchFields);
    }

    private static Requirement expression(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get("key");
        NameValidation.checkLabelName(key, key.text());
        ManifestField operator = fields.get("operator");
        ManifestField values = fields.get("values");
        List<ManifestField> items = values.items();
        switch (operator.text()) {
            case "In", "NotIn" -> {
                if (items.isEmpty()) {
                    values.required("must be specified when `operator` is 'In' or 'NotIn'");
                }
            }
            case "Exists", "DoesNotExist" -> {
                if (!items.isEmpty()) {
                    values.forbidden(
                            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'", "leave values out");
                }
            }
            case "Gt", "Lt" -> {
                values.recordLocation();
                if (items.size() != 1) {
                    values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
            default -> operator.invalid(operator.text(), "not a valid selector operator", OPERATORS);
        }
        fields.reportUnknown();
        return new Requirement(key.text(), operator.text(), values(items));
    }

    private static Requirement field(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get("key");
        ManifestField operator = fields.get("operator");
        ManifestField values = fields.get("values");
        List<ManifestField> items = values.items();
        if (!operator.text().equals("In") && !operator.text().equals("NotIn")) {
            operator.invalid(operator.text(), "not a valid selector operator", "write In or NotIn");
        } else if (items.size() != 1) {
            values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        if (!key.text().equals("metadata.name")) {
            key.invalid(key.text(), "not a valid field selector key", "write metadata.name");
        }
        fields.reportUnknown();
        return new Requirement(
                key.text(),
                operator.text(),
                items.stream().map(ManifestField::text).toList());
    }

    private static List<String> values(List<ManifestField> items) {
        return items.stream()
                .map(item -> {
                    NameValidation.checkLabelValue(item, item.text());
                    return item.text();
                })
                .toList();
    }
}
