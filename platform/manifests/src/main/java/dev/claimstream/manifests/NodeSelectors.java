package dev.claimstream.manifests;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.NodeSelector.Term;
import java.util.List;
import java.util.Optional;

/** Reads {@code core/v1 NodeSelector}. */
final class NodeSelectors {
    private static final String OPERATORS = "write one of In, NotIn, Exists, DoesNotExist, Gt, Lt";

    private NodeSelectors() {}

    static Optional<NodeSelector> of(Field field) {
        return field.fields().map(NodeSelectors::selector);
    }

    private static NodeSelector selector(Fields fields) {
        Field terms = fields.get("nodeSelectorTerms");
        List<Field> items = terms.items();
        if (!terms.isPresent() || items.isEmpty()) {
            terms.required("must have at least one node selector term");
        }
        fields.end();
        return new NodeSelector(items.stream().map(NodeSelectors::term).toList());
    }

    private static Term term(Field field) {
        Fields fields = field.fieldsOrNone();
        List<Requirement> expressions = fields.get("matchExpressions").items().stream()
                .map(NodeSelectors::expression)
                .toList();
        List<Requirement> matchFields = fields.get("matchFields").items().stream()
                .map(NodeSelectors::field)
                .toList();
        fields.end();
        return new Term(expressions, matchFields);
    }

    private static Requirement expression(Field field) {
        Fields fields = field.fieldsOrNone();
        Field key = fields.get("key");
        Names.checkLabelName(key, key.text());
        Field operator = fields.get("operator");
        Field values = fields.get("values");
        List<Field> items = values.items();
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
                values.kept();
                if (items.size() != 1) {
                    values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
                }
            }
            default -> operator.invalid(operator.text(), "not a valid selector operator", OPERATORS);
        }
        fields.end();
        return new Requirement(key.text(), operator.text(), values(items));
    }

    private static Requirement field(Field field) {
        Fields fields = field.fieldsOrNone();
        Field key = fields.get("key");
        Field operator = fields.get("operator");
        Field values = fields.get("values");
        List<Field> items = values.items();
        if (!operator.text().equals("In") && !operator.text().equals("NotIn")) {
            operator.invalid(operator.text(), "not a valid selector operator", "write In or NotIn");
        } else if (items.size() != 1) {
            values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        if (!key.text().equals("metadata.name")) {
            key.invalid(key.text(), "not a valid field selector key", "write metadata.name");
        }
        fields.end();
        return new Requirement(
                key.text(), operator.text(), items.stream().map(Field::text).toList());
    }

    private static List<String> values(List<Field> items) {
        return items.stream()
                .map(item -> {
                    Names.checkLabelValue(item, item.text());
                    return item.text();
                })
                .toList();
    }
}
